"""Other people of the same machine against `verikit app` and `verikit lab`; nothing is mocked."""

import http.client
import json
import os
import re
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest

import verikit as vk
from verikit.cli._server import _wait

psutil = pytest.importorskip("psutil", reason="psutil, which lists processes, is not installed")
websocket = pytest.importorskip("websocket", reason="websocket-client is not installed")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes and signals of POSIX")

VALUE = "98.765432"
# What a browser of this machine is given, and what everybody can see while it opens.
BROWSER = """#!/bin/sh
ps -eo args > "$HOME/seen.part"
printf '%s' "$1" > "$HOME/opened"
mv "$HOME/seen.part" "$HOME/seen"
"""


@dataclass
class Started:
    """A running command, what it printed, and everything it started."""

    process: subprocess.Popen
    address: str
    home: Path
    work: Path

    @property
    def port(self):
        return urlsplit(self.address).port

    @property
    def token(self):
        return re.search(r"token=([\w-]+)", self.address).group(1)

    def log_in(self):
        """Open the page as a browser does; gives the opener with its cookies, and the answer."""
        opener = build_opener(HTTPCookieProcessor(CookieJar()))
        with opener.open(self.address, timeout=60) as reply:
            return opener, reply.geturl(), reply.read().decode()

    def ask(self, path, *, method="GET", body=None, headers=None):
        """The status of an answer that follows no redirect, and what it holds."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            line.request(method, path, body, headers or {})
            reply = line.getresponse()
            return reply.status, reply.read().decode(errors="replace")
        finally:
            line.close()

    def call(self, path, body):
        """POST something with the token."""
        headers = {"Authorization": f"token {self.token}"}
        status, answer = self.ask(path, method="POST", body=json.dumps(body), headers=headers)
        assert status < 300, answer
        return json.loads(answer)

    def family(self):
        """Every process that the command started, itself included."""
        own = psutil.Process(self.process.pid)
        return [own, *own.children(recursive=True)]

    def private(self):
        """The folder of this run."""
        (server, *_) = psutil.Process(self.process.pid).children()
        return Path(server.environ()["JUPYTER_RUNTIME_DIR"]).parent


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """Start ``verikit`` for somebody with a browser, node and a home of her own."""
    running = []

    def start(*arguments):
        home = tmp_path_factory.mktemp("home")
        for name in ("browser", "node", "npm"):
            script = home / name
            script.write_text(
                BROWSER if name == "browser" else f'#!/bin/sh\ntouch "$HOME/ran_{name}"\n'
            )
            script.chmod(0o755)
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("VERIKIT_", "JUPYTER"))}
        kept.pop("IPYTHONDIR", None)
        own = {"HOME": str(home), "BROWSER": str(home / "browser")}
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "verikit", *map(str, arguments)],
            stdout=subprocess.PIPE,
            text=True,
            env=kept | own | {"PATH": f"{home}{os.pathsep}{kept['PATH']}"},
            cwd=tmp_path_factory.mktemp("work"),
            start_new_session=True,
        )
        running.append(process)
        ready, _, _ = select.select([process.stdout], [], [], 90)
        line = process.stdout.readline() if ready else ""
        assert line.startswith("Your values stay on this computer. Open "), line
        work = Path(psutil.Process(process.pid).cwd())
        return Started(process, re.search(r"http\S+", line).group(), home, work)

    yield start
    for process in running:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
            process.wait(20)
        process.stdout.close()


@pytest.fixture(scope="module")
def app(start):
    return start("app")


@pytest.fixture(scope="module")
def killed(start):
    """JupyterLab with a kernel, whose command was ended as by a lack of memory."""
    started = start("lab", "--no-browser")
    opener, _, _ = started.log_in()
    started.call("/api/kernels", {"name": "python3"})
    started.cookies = "; ".join(
        f"{cookie.name}={cookie.value}"
        for handler in opener.handlers
        for cookie in getattr(handler, "cookiejar", ())
    )
    assert started.ask("/api/kernels", headers={"Cookie": started.cookies})[0] in {200, 403}
    assert started.ask("/lab", headers={"Cookie": started.cookies})[0] == 200
    started.kept, (_, *started.left) = started.private(), started.family()
    assert len(started.left) >= 2  # the server and its kernel
    started.process.kill()
    _, started.alive = psutil.wait_procs(started.left, timeout=15)
    with socket.socket() as visitor:
        started.answers = visitor.connect_ex(("127.0.0.1", started.port)) == 0
    return started


@pytest.fixture(scope="module")
def lab(killed, start):
    """JupyterLab where one was killed before, on the same port."""
    return start("lab", "--port", killed.port)


def seen(started):
    """What ``ps`` showed while the browser opened."""
    until = time.monotonic() + 20
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
    with subprocess.Popen([sys.executable, "-c", ""]) as dead:
        dead.wait()
        with pytest.raises(vk.FormatError, match="stopped before it answered"):
            _wait(dead, port)
    assert b"token" not in b"".join(asked)


def test_a_stranger_on_the_wanted_port_gets_no_request_and_nothing_is_opened(foreigner, tmp_path):
    port, asked = foreigner
    browser = tmp_path / "browser"
    browser.write_text(BROWSER)
    browser.chmod(0o755)
    run = subprocess.run(
        [sys.executable, "-P", "-m", "verikit", "app", "--port", str(port)],
        capture_output=True,
        check=False,
        text=True,
        env={**os.environ, "HOME": str(tmp_path), "BROWSER": str(browser)},
        timeout=60,
    )
    assert (run.returncode, run.stdout) == (2, "")
    assert f"Port {port} cannot be used" in run.stderr
    assert asked == []
    assert not (tmp_path / "opened").exists()


def test_nothing_lives_on_when_the_command_is_killed(killed):
    assert killed.alive == []
    assert not killed.answers
    assert not killed.kept.exists()


def test_the_cookie_of_an_earlier_run_opens_nothing(killed, lab):
    assert lab.port == killed.port
    assert lab.ask("/lab", headers={"Cookie": killed.cookies})[0] == 302
    assert lab.ask("/api/kernels", headers={"Cookie": killed.cookies})[0] == 403


PATHS = [
    "/",
    "/?token=guess",
    "/api/kernels/00000000-0000-0000-0000-000000000000",
    "/api/kernels/00000000-0000-0000-0000-000000000000/channels",
    "/voila/files/check_your_record_app.ipynb",
    "/voila/files/../../../../etc/hostname",
    "/voila/render/check_your_record_app.ipynb",
    "/voila/tree/",
]
LAB_PATHS = [
    "/lab",
    "/tree",
    "/api/contents/",
    "/api/kernels",
    "/api/sessions",
    "/files/00_start.ipynb",
    "/files/../../../../etc/hostname",
    "/lab/api/workspaces",
    "/voila/render/00_start.ipynb",
]


@pytest.mark.parametrize(
    ("which", "path"), [("app", p) for p in PATHS] + [("lab", p) for p in LAB_PATHS]
)
def test_without_the_token_nothing_is_shown(which, path, request):
    status, answer = request.getfixturevalue(which).ask(path)
    assert status in {302, 403, 404}
    assert "SelfCheck" not in answer


@pytest.mark.parametrize("which", ["app", "lab"])
@pytest.mark.parametrize("host", ["example.org", "127.0.0.1.example.org", "0.0.0.0"])
def test_another_name_for_this_computer_is_refused(which, host, request):
    started = request.getfixturevalue(which)
    path = started.address.partition(str(started.port))[2]
    assert started.ask(path, headers={"Host": host})[0] == 403


def page_of(app):
    """Open the app's page; give the headers that its visitor sends, and the kernel it runs."""
    opener, _, page = app.log_in()
    request = Request(f"http://127.0.0.1:{app.port}/")
    next(h for h in opener.handlers if hasattr(h, "cookiejar")).cookiejar.add_cookie_header(request)
    return request.get_header("Cookie"), re.search(r'"kernelId": *"([\w-]+)"', page).group(1)


def message(kind, **content):
    """A message to a kernel, as the page sends it."""
    header = {"msg_id": kind, "msg_type": kind, "username": "", "session": "s", "version": "5.3"}
    return json.dumps(
        {
            "channel": "shell", "header": header, "parent_header": {}, "metadata": {},
            "content": content, "buffers": [],
        }
    )  # fmt: skip


def replies(line, *kinds):
    """What a kernel sends until it has sent a reply of the last of these kinds."""
    until, found = time.monotonic() + 30, []
    while kinds[-1] not in [reply["msg_type"] for reply in found]:
        assert time.monotonic() < until, f"no {kinds[-1]}"
        found.append(json.loads(line.recv()))
    return [reply for reply in found if reply["msg_type"] in kinds]


def execute(code):
    return message("execute_request", code=code, silent=False, store_history=True)


def test_a_visitor_of_the_page_cannot_run_code(app, tmp_path):
    cookie, kernel = page_of(app)
    address = f"ws://127.0.0.1:{app.port}/api/kernels/{kernel}/channels"
    line = websocket.create_connection(f"{address}?token={app.token}", cookie=cookie, timeout=30)
    written = tmp_path / "written"
    line.send(execute(f"open({str(written)!r}, 'w').close()"))
    line.send(message("kernel_info_request"))
    answered = [reply["msg_type"] for reply in replies(line, "execute_reply", "kernel_info_reply")]
    line.close()
    assert answered == ["kernel_info_reply"]
    assert not written.exists()


@pytest.mark.parametrize("origin", ["http://example.org", "http://127.0.0.1:1", "null"])
def test_a_page_from_elsewhere_reaches_no_kernel(app, origin):
    cookie, kernel = page_of(app)
    address = f"ws://127.0.0.1:{app.port}/api/kernels/{kernel}/channels"
    with pytest.raises(websocket.WebSocketBadStatusException, match="403"):
        websocket.create_connection(address, cookie=cookie, origin=origin, timeout=30)


def test_a_form_from_elsewhere_ends_no_kernel(app):
    cookie, kernel = page_of(app)
    for method, path in (("POST", f"/voila/api/shutdown/{kernel}"), ("DELETE", "")):
        where = path or f"/api/kernels/{kernel}"
        assert app.ask(where, method=method, headers={"Cookie": cookie})[0] in {403, 405}
    known = f"/api/kernels/{kernel}"
    assert app.ask(known, headers={"Authorization": f"token {app.token}"})[0] == 200


TOLD = f"""
import json, os, verikit as vk
report = vk.check({{"X1": {VALUE}}}, vk.published("dm_table1_masked"))
print(json.dumps([dict(os.environ), os.umask(0o077), get_ipython().history_manager.enabled]))
"""


@pytest.fixture(scope="module")
def told(lab):
    """What a notebook of the lab sees, after it has checked a record."""
    kernel = lab.call("/api/kernels", {"name": "python3"})["id"]
    address = f"ws://127.0.0.1:{lab.port}/api/kernels/{kernel}/channels?token={lab.token}"
    line = websocket.create_connection(address, timeout=60)
    line.send(execute(TOLD))
    found = replies(line, "stream", "error", "execute_reply")
    printed = [reply for reply in found if reply["msg_type"] == "stream"]
    while not printed:
        printed = replies(line, "stream")
    line.close()
    return json.loads(printed[0]["content"]["text"])


def test_a_notebook_does_not_see_the_token_in_its_environment(lab, told):
    environment, _, _ = told
    assert "JUPYTER_TOKEN" not in environment
    assert not [name for name, value in environment.items() if lab.token in value]


def test_the_lab_keeps_no_history_of_what_was_typed(lab, told):
    _, _, history = told
    assert history is False
    for place in (lab.home, lab.private(), lab.work):
        files = [path for path in place.rglob("*") if path.is_file()]
        assert [path for path in files if VALUE.encode() in path.read_bytes()] == []
        assert [path for path in files if path.name == "history.sqlite"] == []


def test_what_is_saved_in_the_lab_is_for_its_owner_alone(lab, told):
    body = {"type": "file", "format": "text", "content": "mine"}
    headers = {"Authorization": f"token {lab.token}"}
    lab.ask("/api/contents/mine.txt", method="PUT", body=json.dumps(body), headers=headers)
    folder = lab.work / "verikit-work"
    assert told[1] == 0o077
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "mine.txt").stat().st_mode) == 0o600
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.glob("*.ipynb")} == {0o600}


@pytest.mark.parametrize("path", ["/api/terminals", "/lsp/status"])
def test_the_lab_offers_no_terminal_and_no_language_server(lab, path):
    headers = {"Authorization": f"token {lab.token}"}
    assert lab.ask(path, headers=headers)[0] == 404
    assert lab.ask(path, method="POST", headers=headers)[0] == 404


def test_starting_the_lab_runs_no_node(lab):
    lab.log_in()
    assert list(lab.home.glob("ran_*")) == []


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
