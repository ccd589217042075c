"""The commands that serve pages and write one: `app`, `lab`, `doctor` and `page`."""

import hashlib
import json
import socket

import pytest

import verikit as vk
from verikit._support.resources import notebooks_dir
from verikit.cli import main
from verikit.page._app import find_foreign_links, make_work_folder


@pytest.fixture
def run(capsys):
    """Run the command; give its exit code, the lines it printed, and what it said of errors."""

    def run(*arguments):
        code = main([str(part) for part in arguments])
        printed = capsys.readouterr()
        return code, printed.out.splitlines(), printed.err.strip()

    return run


def test_app_refuses_a_release_it_cannot_open_before_anything_starts(run, tmp_path):
    code, _, errors = run("app", tmp_path / "nowhere", "--no-browser")
    assert code == 2
    assert "does not exist" in errors


@pytest.mark.parametrize("port", ["taken", 99999])
def test_a_port_that_cannot_be_used_is_refused_before_anything_starts(run, port):
    pytest.importorskip("voila", reason="the page needs Voila")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        wanted = taken.getsockname()[1] if port == "taken" else port
        code, lines, errors = run("app", "--no-browser", "--port", wanted)
    assert (code, lines) == (2, [])
    assert f"Port {wanted} cannot be used" in errors
    assert errors.endswith("leave --port away to get a free one.")


def test_notebooks_are_copied_once_and_templates_not_at_all(tmp_path):
    folder = make_work_folder(tmp_path / "work")
    copied = {path.name for path in folder.rglob("*.ipynb")}
    assert "check_your_record_app.ipynb" in copied
    assert not any(name.startswith("_") for name in copied)
    mine = folder / "check_your_record_app.ipynb"
    mine.write_text("mine", encoding="utf-8")
    assert make_work_folder(tmp_path / "work") == folder
    assert mine.read_text(encoding="utf-8") == "mine"
    fresh = make_work_folder(tmp_path / "work", fresh=True)
    assert fresh.name.startswith("work-")
    assert (fresh / mine.name).read_text(encoding="utf-8") != "mine"


def test_a_learners_copies_show_no_answer_before_a_cell_was_run(tmp_path):
    folder = make_work_folder(tmp_path / "work")
    checked = 0
    for copy in folder.rglob("*.ipynb"):
        ours = json.loads((notebooks_dir() / copy.relative_to(folder)).read_text(encoding="utf-8"))
        content = json.loads(copy.read_text(encoding="utf-8"))
        code = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
        assert not any(cell["outputs"] or cell["execution_count"] for cell in code), copy
        assert [cell["source"] for cell in content["cells"]] == [c["source"] for c in ours["cells"]]
        checked += sum(bool(cell.get("outputs")) for cell in ours["cells"])
    assert checked > 100, "the answers that are compared are ours"


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(vk.FormatError, match="cannot be written: Not a directory; nothing"):
        make_work_folder(tmp_path / "file" / "work")


def test_links_to_elsewhere_are_found_in_a_page_however_they_are_written():
    page = """<link href='//cdn.org/a.css'><script src="/own.js"></script><img alt=x
        SRC="http://x.org/i.png"><a href="https://x.org">a link to click</a>"""
    assert len(find_foreign_links(page)) == 2


def test_a_page_tells_its_checksum_as_json(run, tmp_path):
    pytest.importorskip("verikit.page")
    file = tmp_path / "check.html"
    code, lines, _ = run("page", "dm_table1_masked", file, "--json")
    told = json.loads("\n".join(lines))
    assert (code, told["file"]) == (0, str(file))
    assert told["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()


def test_the_doctor_tells_what_is_not_well_as_json(run, monkeypatch):
    monkeypatch.setattr("verikit.page._app._open_page", lambda: "looked at elsewhere")
    monkeypatch.setattr("verikit.page._app.PACKAGES", ("numpy", "no-such-package"))
    code, lines, _ = run("doctor", "--json")
    told = json.loads("\n".join(lines))
    well = {line["name"]: line["well"] for line in told["checks"]}
    assert (code, told["well"]) == (1, False)
    assert (well["numpy"], well["no-such-package"], well["the page of verikit app"]) == (
        True,
        False,
        True,
    )


def without(*packages):
    """The same look for packages, as if some were not installed."""
    return lambda name: None if name in packages else True


def test_the_doctor_names_the_notebooks_that_will_stop_and_what_they_want(run, monkeypatch):
    pytest.importorskip("anywidget")
    pytest.importorskip("mlxtend")
    monkeypatch.setattr("verikit.page._app._open_page", lambda: "looked at elsewhere")
    monkeypatch.setattr("verikit.page._app.find_spec", without("ibis", "pyarrow"))
    code, lines, _ = run("doctor")
    (line,) = [line for line in lines if "notebooks: " in line]
    assert code == 0
    assert line == (
        "ok      notebooks: 30_large_releases will stop, for want of ibis and pyarrow; "
        "pip install 'verikit[scale]' brings them"
    )


def test_the_doctor_is_not_well_where_the_usual_notebooks_will_stop(run, monkeypatch):
    monkeypatch.setattr("verikit.page._app._open_page", lambda: "looked at elsewhere")
    monkeypatch.setattr("verikit.page._app.find_spec", without("mlxtend"))
    code, lines, _ = run("doctor")
    (line,) = [line for line in lines if "notebooks: " in line]
    assert (code, line[:6]) == (1, "NOT OK")
    assert "07_random_anonymization, 08_what_survives and reproduce/yq_figures will stop" in line
