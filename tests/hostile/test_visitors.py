"""What visitors of a server can reach, with and without its token, and what it keeps of them."""

import json
import re
import stat
import time
from urllib.request import Request

import pytest

websocket = pytest.importorskip("websocket", reason="websocket-client is not installed")

VALUE = "98.765432"
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


@pytest.fixture(scope="module")
def page(app):
    """The app's page, opened: the cookie that its visitor sends, and the kernel it runs."""
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
    until, found = time.monotonic() + 90, []
    while kinds[-1] not in [reply["msg_type"] for reply in found]:
        assert time.monotonic() < until, f"no {kinds[-1]}"
        found.append(json.loads(line.recv()))
    return [reply for reply in found if reply["msg_type"] in kinds]


def execute(code):
    return message("execute_request", code=code, silent=False, store_history=True)


def test_a_visitor_of_the_page_cannot_run_code(app, page, tmp_path):
    cookie, kernel = page
    address = f"ws://127.0.0.1:{app.port}/api/kernels/{kernel}/channels"
    line = websocket.create_connection(f"{address}?token={app.token}", cookie=cookie, timeout=90)
    written = tmp_path / "written"
    line.send(execute(f"open({str(written)!r}, 'w').close()"))
    line.send(message("kernel_info_request"))
    answered = [reply["msg_type"] for reply in replies(line, "execute_reply", "kernel_info_reply")]
    line.close()
    assert answered == ["kernel_info_reply"]
    assert not written.exists()


@pytest.mark.parametrize("origin", ["http://example.org", "http://127.0.0.1:1", "null"])
def test_a_page_from_elsewhere_reaches_no_kernel(app, page, origin):
    cookie, kernel = page
    address = f"ws://127.0.0.1:{app.port}/api/kernels/{kernel}/channels"
    with pytest.raises(websocket.WebSocketBadStatusException, match="403"):
        websocket.create_connection(address, cookie=cookie, origin=origin, timeout=90)


def test_a_form_from_elsewhere_ends_no_kernel(app, page):
    cookie, kernel = page
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
    line = websocket.create_connection(address, timeout=90)
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
