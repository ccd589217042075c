"""`verikit app` and `verikit lab` as others on the same machine meet them; nothing is mocked."""

import http.client
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

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
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=90)
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
        psutil = pytest.importorskip("psutil", reason="psutil is not installed")
        own = psutil.Process(self.process.pid)
        return [own, *own.children(recursive=True)]

    def private(self):
        """The folder of this run."""
        (_, server, *_) = self.family()
        return Path(server.environ()["JUPYTER_RUNTIME_DIR"]).parent


@pytest.fixture(scope="session")
def start(tmp_path_factory):
    """Start ``verikit`` for somebody with a browser, node and a home of her own."""
    if os.name != "posix":
        pytest.skip("modes and signals are those of POSIX")
    running = []

    def start(*arguments, home=None):
        home = home or tmp_path_factory.mktemp("home")
        for name in ("browser", "node", "npm"):
            script = home / name
            script.write_text(
                BROWSER if name == "browser" else f'#!/bin/sh\ntouch "$HOME/ran_{name}"\n'
            )
            script.chmod(0o755)
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("VERIKIT_", "JUPYTER"))}
        kept.pop("IPYTHONDIR", None)
        work = tmp_path_factory.mktemp("work")
        own = {"HOME": str(home), "BROWSER": str(home / "browser")}
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "verikit", *map(str, arguments)],
            stdout=subprocess.PIPE,
            text=True,
            env=kept | own | {"PATH": f"{home}{os.pathsep}{kept['PATH']}"},
            cwd=work,
            start_new_session=True,
        )
        running.append(process)
        ready, _, _ = select.select([process.stdout], [], [], 90)
        line = process.stdout.readline() if ready else ""
        assert line.startswith("Your values stay on this computer. Open "), line
        return Started(process, re.search(r"http\S+", line).group(), home, work)

    yield start
    for process in running:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:  # that it ends by Ctrl-C has tests of its own
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(30)
        process.stdout.close()


@pytest.fixture(scope="session")
def app(start):
    return start("app")


@pytest.fixture(scope="session")
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
    psutil = pytest.importorskip("psutil")
    _, started.alive = psutil.wait_procs(started.left, timeout=60)
    with socket.socket() as visitor:
        started.answers = visitor.connect_ex(("127.0.0.1", started.port)) == 0
    for process in started.alive:
        process.kill()
    return started


@pytest.fixture(scope="session")
def lab(killed, start):
    """JupyterLab where one was killed before: the same person, the same port."""
    return start("lab", "--port", killed.port, home=killed.home)


@pytest.fixture
def browser(tmp_path):
    """The path of a browser that opens nothing, and notes in its home what it was given."""
    path = tmp_path / "browser"
    path.write_text(BROWSER)
    path.chmod(0o755)
    return path
