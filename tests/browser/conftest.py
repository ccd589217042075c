"""Servers and a browser for the tests that drive the screens; skipped, with the reason, without."""

import importlib.util
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import verikit as vk

NAMES = (  # the first shows no window that nobody sees, and so needs half the time
    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
    "google-chrome-stable",
)  # fmt: skip
HERE = "http://127.0.0.1:"
HURRY = """import time
began, worked = time.monotonic(), time.process_time()
while time.process_time() - worked < 0.5: pass
print((time.monotonic() - began) / 0.5)"""
CASES = Path(__file__).resolve().parents[2] / "benchmarks" / "page_cases.py"


@dataclass
class Served:
    """A running ``verikit app`` or ``verikit lab``: its page, and when its command was given."""

    process: subprocess.Popen
    address: str
    began: float

    @property
    def port(self):
        return int(re.search(r":(\d+)", self.address.removeprefix("http:")).group(1))

    def stop(self):
        """What Ctrl-C does: a SIGINT to every process of the group."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)  # and nothing is left of it
            raise
        finally:
            self.process.stdout.close()


@pytest.fixture(scope="module")  # its driver runs an event loop that no other test may see
def browser():
    """Headless Chromium, driven by Playwright."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip(f"no Chromium on the path (looked for {', '.join(NAMES)})")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(
            executable_path=found, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def axe():
    """The source of axe-core, which judges whether everybody can use a page."""
    named = os.environ.get("VERIKIT_AXE")
    here = Path(__file__).resolve().parents[2]
    places = [Path(named)] if named else []
    places.append(here / "node_modules" / "axe-core" / "axe.min.js")
    for place in places:
        if place.is_file():
            return place.read_text(encoding="utf-8")
    pytest.skip("axe-core is not at hand; npm install axe-core, or set VERIKIT_AXE to axe.min.js")


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    """An environment in which no setting of the person who runs the tests can be found."""
    folder = tmp_path_factory.mktemp("home")
    places = {
        "HOME": "",
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VERIKIT_")}
    return kept | {name: str(folder / part) for name, part in places.items()}


@pytest.fixture(scope="module")
def serve(home, tmp_path_factory):
    """Start ``verikit`` with some arguments in a folder; everything is ended after the module."""
    running = []

    def start(*arguments, folder=None):
        began = time.monotonic()
        desk = tmp_path_factory.mktemp("workspaces")  # what others left open is not opened again
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "verikit.cli", *map(str, arguments), "--no-browser"],
            stdout=subprocess.PIPE,
            text=True,
            env=home | {"JUPYTERLAB_WORKSPACES_DIR": str(desk)},
            cwd=folder or tmp_path_factory.mktemp("work"),
            start_new_session=True,
        )
        served = Served(process, "", began)
        running.append(served)
        ready, _, _ = select.select([process.stdout], [], [], 90)
        line = process.stdout.readline() if ready else ""
        assert line.startswith("Your values stay on this computer. Open "), line
        served.address = re.search(r"http\S+", line).group()
        return served

    yield start
    for served in running:
        served.stop()


@pytest.fixture
def visit(browser):
    """Open a page; afterwards no request of it may have left this computer."""
    yield from _visiting(browser)


@pytest.fixture(scope="module")
def stay(browser):
    """Open a page in the same way for several tests of a file."""
    yield from _visiting(browser)


def _visiting(browser):
    opened, foreign = [], []

    def note(request):
        if not request.url.startswith((HERE, "data:", "blob:", "ws://127.0.0.1:")):
            foreign.append(request.url)

    def visit(address, *, width=1100, height=900, ready=".vk-first", after="", **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        opened.append(context)
        page = context.new_page()
        page.add_init_script(after)
        page.on("request", note)
        page.set_default_timeout(120_000)
        told = []
        page.on("console", lambda message: told.append(message.text))
        page.on("pageerror", lambda error: told.append(str(error)))
        page.on("requestfailed", lambda request: told.append(f"{request.url} {request.failure}"))
        page.goto(address, wait_until="commit")
        try:
            page.wait_for_selector(ready)
        except Exception as error:  # what stood there instead is worth more than what did not
            error.add_note(f"{page.inner_text('body')[:500]!r} {told}")
            raise
        return page

    yield visit
    for context in opened:
        for page in context.pages:
            page.goto("about:blank")  # leaving the page ends its kernel
        context.close()
    assert foreign == []


@pytest.fixture
def saved():
    """The file of a notebook, as it is written by Ctrl+S; waits until it is there as a whole."""

    def save(lab, page):
        before = lab.notebook.stat().st_mtime_ns
        page.keyboard.press("Control+S")
        until = time.monotonic() + 90
        while lab.notebook.stat().st_mtime_ns == before or not _whole(lab.notebook):
            assert time.monotonic() < until, "the notebook was not saved"
            page.wait_for_timeout(50)
        return lab.notebook

    return save


def _whole(notebook):
    """Whether a file is no half-written notebook."""
    try:
        return bool(json.loads(notebook.read_text(encoding="utf-8")))
    except ValueError:
        return False


@pytest.fixture(scope="session")
def hurry():
    """How many times longer everything takes while other things run on this machine."""

    def measured():
        command = [sys.executable, "-I", "-S", "-c", HURRY]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return max(1, float(done.stdout))

    return measured


@pytest.fixture(scope="module")
def cases():
    """The random cases of the page beside a table, which the benchmarks draw too."""
    if not CASES.is_file():
        pytest.skip("the benchmarks are not beside the tests")
    sys.path.insert(0, str(CASES.parent))
    spec = importlib.util.spec_from_file_location("verikit_page_cases", CASES)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def opened(browser, tmp_path):
    """Open the page of a release from a file, with the network off."""
    yield from _opening(browser, tmp_path)


@pytest.fixture(scope="module")
def _blank(browser, tmp_path_factory):
    for open_page in _opening(browser, tmp_path_factory.mktemp("blank")):
        yield open_page(None, ready="#files")


@pytest.fixture
def blank(_blank):
    """The page without data, shared by tests that begin with a file of their own."""
    _blank.evaluate("() => speak('en')")
    _blank.problems.clear()
    return _blank


def _opening(browser, folder):
    contexts = []

    def open_page(release, *, width=1080, height=900, data=True, ready="[type=submit]", **options):
        path = folder / f"check{len(contexts)}.html"
        vk.page.write(release, path, data=data)
        viewport = {"width": width, "height": height}
        contexts.append(browser.new_context(offline=True, viewport=viewport, **options))
        page = contexts[-1].new_page()
        page.set_default_timeout(120_000)
        page.problems = []
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.on("console", lambda message: page.problems.append(message.text))
        page.goto(path.as_uri())
        page.wait_for_selector(ready)
        return page

    yield open_page
    for context in contexts:
        context.close()


class Listener(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.hits.append(self.path)
        self.send_response(204)
        self.end_headers()

    do_POST = do_HEAD = do_OPTIONS = do_GET

    def log_message(self, *_):
        pass


@pytest.fixture
def listener():
    """A live server on this machine that counts who asks it for anything."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Listener)
    server.hits = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()
