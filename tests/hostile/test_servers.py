"""Who holds the token, the port and the processes of a server: its owner alone."""

import os
import shutil
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import verikit as vk
from verikit.page._server import _wait_until_ready


def seen(started):
    """What ``ps`` showed while the browser opened."""
    until = time.monotonic() + 60
    while not (started.home / "seen").exists():
        assert time.monotonic() < until, "no browser was opened"
        time.sleep(0.05)
    return (started.home / "seen").read_text(encoding="utf-8")


@pytest.mark.parametrize("which", ["app", "lab"])
def test_no_command_line_shows_the_token_while_the_browser_opens(which, request):
    started = request.getfixturevalue(which)
    if shutil.which("ps") is None:
        pytest.skip("ps is not installed")
    shown = seen(started)
    assert "verikit" in shown
    assert started.token not in shown


@pytest.mark.parametrize("which", ["app", "lab"])
def test_what_the_browser_opens_is_for_its_owner_alone_and_leads_to_the_page(which, request):
    started = request.getfixturevalue(which)
    seen(started)
    opened = urlsplit((started.home / "opened").read_text(encoding="utf-8"))
    page = Path(unquote(opened.path))
    assert opened.scheme == "file"
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
    assert started.address.replace("&", "&amp;") in page.read_text(encoding="utf-8")
    _, landed, _ = started.log_in()
    assert "token" not in landed
    assert "login" not in landed


@pytest.mark.parametrize("which", ["app", "lab"])
def test_no_environment_holds_the_token(which, request):
    started = request.getfixturevalue(which)
    for process in started.family():
        assert started.token not in str(process.environ())
        assert "JUPYTER_TOKEN" not in process.environ()


@pytest.mark.parametrize("option", ["SO_REUSEADDR", "SO_REUSEPORT"])
def test_nobody_can_listen_beside_the_server(app, option):
    with socket.socket() as foreign:
        foreign.setsockopt(socket.SOL_SOCKET, getattr(socket, option), 1)
        with pytest.raises(OSError, match="in use"):
            foreign.bind(("127.0.0.1", app.port))


@pytest.fixture
def foreigner():
    """A web server of somebody else, who writes down what it is asked."""
    asked = []
    with socket.create_server(("127.0.0.1", 0)) as foreign:

        def answer():
            while True:
                try:
                    line, _ = foreign.accept()
                except OSError:
                    return
                with line:
                    asked.append(line.recv(4096))
                    line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

        threading.Thread(target=answer, daemon=True).start()
        yield foreign.getsockname()[1], asked
        foreign.shutdown(socket.SHUT_RDWR)


def test_a_stranger_who_answers_in_place_of_our_dead_server_is_not_believed(foreigner):
    port, asked = foreigner
    with subprocess.Popen([sys.executable, "-P", "-c", ""]) as dead:
        dead.wait()
        with pytest.raises(vk.FormatError, match="stopped before it answered"):
            _wait_until_ready(dead, port)
    assert b"token" not in b"".join(asked)


def test_a_stranger_on_the_wanted_port_gets_no_request_and_nothing_is_opened(foreigner, browser):
    port, asked = foreigner
    run = subprocess.run(
        [sys.executable, "-P", "-m", "verikit", "app", "--port", str(port)],
        capture_output=True,
        check=False,
        text=True,
        env={**os.environ, "HOME": str(browser.parent), "BROWSER": str(browser)},
        timeout=120,
    )
    assert (run.returncode, run.stdout) == (2, "")
    assert f"Port {port} cannot be used" in run.stderr
    assert asked == []
    assert not (browser.parent / "opened").exists()


def test_nothing_lives_on_when_the_command_is_killed(killed):
    assert killed.alive == []
    assert not killed.answers
    assert not killed.kept.exists()


def test_the_cookie_of_an_earlier_run_opens_nothing(killed, lab):
    assert lab.port == killed.port
    assert lab.ask("/lab", headers={"Cookie": killed.cookies})[0] == 302
    assert lab.ask("/api/kernels", headers={"Cookie": killed.cookies})[0] == 403


def told_in(path, token):
    return token.encode() in path.read_bytes()


def test_everything_of_a_run_lies_in_a_folder_of_its_owner(lab):
    folder = lab.private()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    secret = [path for path in folder.rglob("*") if path.is_file() and told_in(path, lab.token)]
    assert len(secret) >= 2  # what the browser opens, and what the pages are made from
    assert [path for path in secret if path.stat().st_mode & 0o077] == []


def test_a_key_is_for_its_owner_alone_whatever_the_umask(tmp_path):
    _, key = vk.mask.noise(vk.load("dm_table1"), scale=0.5, seed=1)
    before = os.umask(0)
    try:
        key.save(tmp_path / "key.json")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "key.json").stat().st_mode) == 0o600
