"""The unlucky hour: killed, stopped, out of room, or led astray by what stands there already."""

import json
import os
import random
import select
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

import verikit as vk
from verikit._support.partial_files import OLD
from verikit._support.writing import together
from verikit.cli import main
from verikit.errors import FormatError

POSIX = os.name == "posix" and hasattr(os, "fork")
posix_only = pytest.mark.skipif(not POSIX, reason="needs fork, signals and modes of a POSIX system")
LARGE = 4_000
PART = ".part-0f1e2d3c4b5a6978"
HERS = ["--set", "X1=100.87", "--set", "X2=902.21"]

# Runs each piece of code that it is given in a child that has verikit at hand already, and all that
# the command imports: one masking is made before the first child.
RUNNER = """
import contextlib, io, json, os, signal, sys, tempfile, time
import verikit as vk, pyarrow.parquet
from verikit.cli import main
with tempfile.TemporaryDirectory() as place, contextlib.redirect_stdout(io.StringIO()):
    vk.load("dm_table1").frame.to_csv(place + "/t.csv", index=False)
    given = ["--set", "scale=0.5", "--out", place + "/out", "--key", place + "/key.json"]
    with contextlib.redirect_stderr(io.StringIO()):
        main(["mask", "noise", place + "/t.csv", *given])
for line in sys.stdin:
    task = json.loads(line)
    hear, said = os.pipe()
    child = os.fork()
    if not child:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.dup2(said, 1), os.dup2(said, 2)
        code = 99
        try:
            exec(task["code"], {"vk": vk, "main": main, "arguments": task["arguments"]})
        except SystemExit as end:
            code = end.code
        for out in filter(None, (sys.stdout, sys.stderr)):  # none is left where no room was
            out.flush()
        os._exit(code)
    print(child, flush=True)
    if task["delay"] is not None:
        time.sleep(task["delay"])
        os.kill(child, signal.SIGKILL)
    os.close(said)
    words = open(hear, encoding="utf-8").read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(json.dumps([code, words.strip()]), flush=True)
"""
# At the chosen step of writing into a folder: be killed, or meet an error.
STEPS = """
import os, signal, sys
steps, at, home = 0, {at}, {home!r}
names = ("open", "os.mkdir", "os.rename", "os.link", "os.remove", "os.rmdir", "os.chmod")
def meet(event, facts):
    global steps
    path = str(facts[0]) if event in names else ""
    mode = facts[2] & (os.O_WRONLY | os.O_RDWR) or facts[1] is None if event == "open" else True
    if path.startswith(home) and ".part-" in path + str(facts[1:2]) and mode:
        steps += 1
        if steps == at:
            {doing}
sys.addaudithook(meet)
"""
INTERRUPTED = """
import os, signal, sys
def interrupt(event, facts):
    if event == "open" and str(facts[0]).endswith("table.csv"):
        os.kill(os.getpid(), signal.SIGINT)
sys.addaudithook(interrupt)
"""
KILLED = "os.kill(os.getpid(), signal.SIGKILL)"
RUN = "raise SystemExit(main(arguments))"
THROUGH = 77
RUN_STEPS = f"code = main(arguments)\nraise SystemExit(code if steps >= at else {THROUGH})"


class Runner:
    """Children of one process: how they ended, and what they said."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", RUNNER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(self, arguments, code=RUN, delay=None):
        task = {"arguments": arguments, "code": code, "delay": delay}
        self.process.stdin.write(json.dumps(task) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def end(self):
        return tuple(json.loads(self.process.stdout.readline()))

    def run(self, arguments, code=RUN, delay=None):
        self.start([str(part) for part in arguments], code, delay)
        return self.end()


@pytest.fixture(scope="module")
def runner():
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    started = Runner()
    yield started
    started.process.stdin.close()
    started.process.wait(60)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """A small and a large table to mask."""
    folder = tmp_path_factory.mktemp("tables")
    for n in (50, LARGE):
        vk.simulate("dm", n, seed=1).frame.to_csv(folder / f"{n}.csv", index=False)
    return folder


@pytest.fixture
def home(tmp_path):
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def masking(tables, home, n=50):
    given = ["--set", "scale=0.5", "--out", home / "out", "--key", home / "key.json"]
    return ["mask", "noise", tables / f"{n}.csv", *given]


def listing(home):
    return sorted(path.name for path in home.iterdir())


def state(home, n=50):
    """Which of release and key are there, each whole; half a table is opened by nobody."""
    there = set()
    if (home / "out").exists():
        assert len(vk.open_release(home / "out")) == n
        there.add("release")
    if (home / "key.json").exists():
        assert len(vk.Key.open(home / "key.json")) == n
        assert stat.S_IMODE((home / "key.json").stat().st_mode) == 0o600
        there.add("key")
    for table in home.rglob("table.csv"):
        if table.parent != home / "out":
            with pytest.raises(FormatError, match="was never finished"):
                vk.open_release(table)
    return there


# -- killed ---------------------------------------------------------------------------------------


@posix_only
def test_killed_at_any_moment_it_leaves_all_or_nothing_and_the_same_command_works(
    runner, tables, home
):
    chance, began = random.Random(11), time.monotonic()
    assert runner.run(masking(tables, home, LARGE))[0] == 0
    whole, seen = time.monotonic() - began, []
    for number in range(6):
        place = home / f"{number}"
        place.mkdir()
        delay = whole * max(0, number - chance.random()) / 5  # the first before it has begun
        runner.run(masking(tables, place, LARGE), delay=delay)
        seen.append(state(place, LARGE))
        code, said = runner.run(masking(tables, place, LARGE))
        assert (code == 0) == (not seen[-1]), said
        assert code == 0 or "exists already" in said
        assert "key" in state(place, LARGE)
    assert set() in seen
    assert {"release"} not in seen  # a key alone is looked for below, step by step


@posix_only
def test_killed_at_any_step_it_leaves_all_or_nothing_and_never_a_release_without_its_key(
    runner, tables, tmp_path
):
    seen, alone = [], 0
    for at in range(1, 100):
        home = tmp_path / str(at)
        home.mkdir()
        before = STEPS.format(at=at, home=str(home), doing=KILLED)
        code, said = runner.run(masking(tables, home), before + RUN_STEPS)
        seen.append(state(home))
        if code == THROUGH:
            break
        assert code == -signal.SIGKILL, said
        alone += seen[-1] == {"key"}
        if at % 2:  # what is left is taken away by a command of any name
            other = ["mask", "noise", tables / "50.csv", "--set", "scale=0.5"]
            given = [*other, "--out", home / "other", "--key", home / "other.json"]
            assert runner.run(given)[0] == 0
            left = [name for name in listing(home) if ".part-" in name]
            assert not left or "key" in seen[-1], (at, left)
        if not seen[-1]:
            assert runner.run(masking(tables, home))[0] == 0  # the same command as before
            others = {"other", "other.json"} if at % 2 else set()
            assert set(listing(home)) == {"key.json", "out", "verikit-ledger.json"} | others
            assert len(vk.open_release(home / "out")) == 50
    assert set() in seen
    assert {"key", "release"} in seen[:-1]
    assert {"release"} not in seen
    assert alone == 1  # the one step between naming the key and naming the release
    assert len(seen) > 8


def test_what_a_killed_process_left_is_swept_away_once_it_is_old(home):
    young, old, other = (home / f".{name}{PART}" for name in ("b.txt", "a.txt", "c.txt"))
    kept = home / ".a.txt.part-of-mine"
    victim = home / "victim"
    for folder in (young, old, other, victim):
        (folder / "deep").mkdir(parents=True)
        (folder / "deep" / "file").touch()
    kept.touch()
    for path in [*home.rglob("*")]:
        if path != young:
            os.utime(path, (0, time.time() - 2 * OLD))
    os.utime(young, None)
    for name in ("a.txt", "b.txt"):
        with together() as new:
            new.file(home / name, "whole")
    assert listing(home) == sorted(["a.txt", "b.txt", young.name, other.name, kept.name, "victim"])


def test_a_part_of_a_process_that_lives_or_of_another_machine_is_left(home):
    from verikit._support.partial_files import new_token

    mine = new_token()
    dead = f"7fffffff{mine[8:]}"  # no process has this number
    foreign = f"7fffffff{'000' if mine[8:11] != '000' else '111'}{mine[11:]}"
    for token in (mine, dead, foreign):
        (home / f".x.part-{token}00").write_text("")
    with together() as new:
        new.file(home / "a.txt", "whole")
    assert listing(home) == sorted([f".x.part-{mine}00", f".x.part-{foreign}00", "a.txt"])


@posix_only
def test_a_full_disk_is_told_with_the_name_that_was_given(runner, home):
    code = LITTLE.format(room=1000) + SAVING.format("release.save(arguments[0] + '/out')")
    _, said = runner.run([home], code)
    assert ".part-" not in said
    assert f"{home / 'out'}"[-40:] in said


@posix_only
def test_a_link_that_is_named_like_a_part_is_not_followed(home):
    (home / "victim").mkdir()
    (home / "victim" / "file").touch()
    link = home / f".a.txt{PART}"
    link.symlink_to(home / "victim")
    for path in (link, home / "victim" / "file", home / "victim"):
        os.utime(path, (0, 0), follow_symlinks=False)
    with together() as new:
        new.file(home / "a.txt", "whole")
    assert (home / "victim" / "file").exists()
    assert link.is_symlink()


def test_a_table_of_an_unfinished_release_is_no_release(home, monkeypatch):
    inside = home / f".out{PART}" / "out"
    saved = vk.published("dm_table1_masked").save(inside)
    for path in (saved, saved / "table.csv", saved / "datapackage.json"):
        with pytest.raises(FormatError, match="was never finished: its writing was stopped"):
            vk.open_release(path)
    monkeypatch.chdir(saved)
    with pytest.raises(FormatError, match=r"'table\.csv' was never finished"):
        vk.open_release("table.csv")


# -- stopped, or out of room ----------------------------------------------------------------------


@posix_only
@pytest.mark.parametrize(
    ("doing", "ends", "sentence"),
    [
        ("raise KeyboardInterrupt", 130, "verikit: stopped; nothing was published."),
        ("raise OSError(28, 'No space')", 2, "the disk is full; nothing was written."),
    ],
    ids=["Ctrl-C", "full disk"],
)
def test_an_error_at_any_step_leaves_nothing_and_is_said_in_one_sentence(
    runner, tables, tmp_path, doing, ends, sentence
):
    failed = 0
    for at in range(1, 100):
        home = tmp_path / str(at)
        home.mkdir()
        before = STEPS.format(at=at, home=str(home), doing=doing)
        code, said = runner.run(masking(tables, home), before + RUN_STEPS)
        if code in {0, THROUGH}:  # it did not matter, as in sweeping up
            assert state(home) == {"key", "release"}
            if code == THROUGH:
                break
            continue
        failed += 1
        assert (code, listing(home)) == (ends, []), (at, said)
        assert said.endswith(sentence)
        assert len([line for line in said.splitlines() if "Masking" not in line]) == 1
    assert failed > 8


@posix_only
def test_ctrl_c_while_writing_leaves_nothing(runner, tables, home):
    code, said = runner.run(masking(tables, home, LARGE), INTERRUPTED + RUN)
    assert (code, said.splitlines()[-1]) == (130, "verikit: stopped; nothing was published.")
    assert listing(home) == []


LITTLE = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))\n"
SAVING = """
release, key = vk.mask.noise(vk.simulate("dm", 20000, seed=1), scale=0.5, seed=1)
try:
    {}
except vk.FormatError as error:
    print("verikit:", error)
    raise SystemExit(2)
"""


@posix_only
@pytest.mark.parametrize(
    ("arguments", "code", "room"),
    [
        ([], SAVING.format("release.save(arguments[0] + '/out')"), 100_000),
        ([], SAVING.format("release.save(arguments[0] + '/out', parquet=True)"), 100_000),
        ([], SAVING.format("key.save(arguments[0] + '/key')"), 100_000),
        (["check", "dm_table1_masked", *HERS, "--html", "{}/slip.html"], RUN, 1000),
        (["data", "export", "dm_table1", "--out", "{}/deep/er"], RUN, 10),
        (["data", "export", "dm_table1_masked", "--release", "--out", "{}/deep"], RUN, 10),
    ],
    ids=["csv", "parquet", "key", "slip", "table", "release"],
)
def test_without_room_one_sentence_is_said_and_nothing_is_left(runner, home, arguments, code, room):
    given = [part.format(home) for part in arguments] or [home]
    ended, said = runner.run(given, LITTLE.format(room=room) + code)
    assert ended == 2, said
    assert "cannot be written: it would be larger than a file may be here; nothing was" in said
    assert len(said.splitlines()) == 1
    assert listing(home) == []


@posix_only
def test_a_full_disk_of_the_output_is_said(runner, tables, home):
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    full = "import os; os.dup2(os.open('/dev/full', os.O_WRONLY), 1)\n"
    code, said = runner.run(masking(tables, home), full + RUN)
    assert (code, state(home)) == (2, {"key", "release"})
    assert f"the release lies whole in '{home / 'out'}'" in said


# -- what stands there already --------------------------------------------------------------------


def looks(home):
    """What lies in a folder, with everything but when it was last looked at."""
    facts = {path.name: path.lstat() for path in home.iterdir()}
    return {n: (f.st_ino, f.st_mode, f.st_size, f.st_mtime_ns) for n, f in facts.items()}


def slip(path, *more):
    return main(["check", "dm_table1_masked", *HERS, "--html", str(path), *more])


@posix_only
@pytest.mark.parametrize("kind", ["file", "link", "dangling link", "link to a folder"])
def test_a_slip_is_never_written_over_what_stands_there(home, capsys, kind):
    victim, path = home / "victim", home / "slip.html"
    if kind == "file":
        path.write_text("old")
        path.chmod(0o644)
    elif kind == "link to a folder":
        victim.mkdir()
    elif kind == "link":
        victim.write_text("old")
    if kind != "file":
        path.symlink_to(victim)
    before = looks(home)
    assert slip(path) == 2
    assert "exists already; choose another name, or replace it with --force" in (
        capsys.readouterr().err
    )
    assert looks(home) == before

    assert slip(path, "--force") == 1
    assert stat.S_IMODE(path.lstat().st_mode) == 0o600
    assert stat.S_ISREG(path.lstat().st_mode)
    assert "100.87" in path.read_text(encoding="utf-8")
    if kind == "link":
        assert victim.read_text() == "old"
    assert victim.exists() == (kind in {"link", "link to a folder"})
    assert victim.is_dir() == (kind == "link to a folder")


def test_a_slip_needs_the_name_of_a_file(home, capsys):
    assert slip(home, "--force") == 2
    assert "is a folder; expected the name of a file" in capsys.readouterr().err
    assert listing(home) == []


@posix_only
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777])
def test_slip_and_key_are_their_owners_alone_whatever_the_umask(home, mask):
    before = os.umask(mask)
    try:
        slip(home / "slip.html")
        vk.Key.of([0]).save(home / "key.json")
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in home.iterdir()}
    assert modes == {"slip.html": 0o600, "key.json": 0o600}


@posix_only
def test_a_key_is_not_written_where_a_link_leads(home):
    (home / "key.json").symlink_to(home / "elsewhere")
    with pytest.raises(FormatError, match="exists already; a key is never overwritten"):
        vk.Key.of([0]).save(home / "key.json")
    assert listing(home) == ["key.json"]


def test_a_key_made_meanwhile_by_somebody_else_is_left_alone(home):
    masked = vk.mask.noise(vk.load("dm_table1"), scale=0.5, seed=1)
    refused = pytest.raises(FormatError, match="exists already; a key is never overwritten")
    with refused, together() as new:
        new.folder(home / "out").mkdir()
        new.file(home / "key.json", "mine", advice="a key is never overwritten")
        masked.key.save(home / "key.json")
    assert listing(home) == ["key.json"]
    assert len(vk.Key.open(home / "key.json")) == 20


def test_release_and_key_are_saved_together_or_not_at_all(home):
    masked = vk.mask.noise(vk.load("dm_table1"), scale=0.5, seed=1)
    with pytest.raises(FormatError, match="would lie in the published folder"):
        masked.save(home / "out", home / "out" / "key.json")
    (home / "full").mkdir()
    (home / "full" / "file").touch()
    with pytest.raises(FormatError, match="exists already and is not empty"):
        masked.save(home / "full", home / "key.json")
    assert listing(home) == ["full"]
    masked.save(home / "out", home / "key.json", parquet=False)
    assert sorted(path.name for path in home.rglob("*.*")) == [
        "datapackage.json", "key.json", "table.csv",
    ]  # fmt: skip


@posix_only
def test_an_empty_folder_may_be_published_into_and_keeps_its_mode(home):
    (home / "out").mkdir(mode=0o750)
    vk.published("dm_table1_masked").save(home / "out")
    assert stat.S_IMODE((home / "out").stat().st_mode) == 0o750
    assert len(vk.open_release(home / "out")) == 20


def test_the_folder_one_is_in_is_not_replaced(home, monkeypatch):
    monkeypatch.chdir(home)
    with pytest.raises(FormatError, match="is the folder you are in, or a disk; name a new folder"):
        vk.published("dm_table1_masked").save(".")


def test_a_long_name_can_be_written(home):
    name = "ä" * 120 + ".json"
    assert len(vk.Key.open(vk.Key.of([0]).save(home / name))) == 1


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"])
def test_a_name_that_no_file_can_have_is_refused_in_one_short_sentence(home, name):
    for save in (vk.Key.of([0]).save, vk.published("dm_table1_masked").save):
        with pytest.raises(FormatError) as refused:
            save(home / name)
        assert len(str(refused.value)) < 600
    assert listing(home) == []


def test_everything_written_is_brought_to_the_disk_before_it_gets_its_name(home, monkeypatch):
    synced, really = [], os.fsync

    def fsync(handle):
        synced.append((os.fstat(handle).st_ino, (home / "out").exists()))
        really(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    masked = vk.mask.noise(vk.load("dm_table1"), scale=0.5, seed=1)
    masked.save(home / "out", home / "key.json")
    early = {number for number, there in synced if not there}
    late = {number for number, there in synced if there}
    written = [home / "out" / "table.csv", home / "out" / "datapackage.json", home / "key.json"]
    assert {path.stat().st_ino for path in [*written, home / "out"]} <= early
    assert home.stat().st_ino in late


# -- asked on a terminal --------------------------------------------------------------------------

ON_TERMINAL = """
import os, sys
os.close(os.open(os.ttyname(0), os.O_RDWR))  # now it is ours
from verikit.cli import main
sys.exit(main(["check", "dm_table1_masked"]))
"""


def read_until(screen, wanted, seconds=90):
    shown, until = "", time.monotonic() + seconds
    while wanted not in shown and time.monotonic() < until:
        if select.select([screen], [], [], 0.1)[0]:
            try:
                shown += os.read(screen, 4096).decode()
            except OSError:  # the terminal was closed
                break
    assert wanted in shown, shown
    return shown


@posix_only
def test_without_values_the_command_asks_for_them_and_shows_nothing_that_is_typed():
    pty = pytest.importorskip("pty", reason="needs pseudo-terminals")
    screen, terminal = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-P", "-c", ON_TERMINAL],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
    ) as process:
        os.close(terminal)
        shown = ""
        for prompt, typed in (("X1: ", "00100.870"), ("X2: ", ""), ("X3: ", "005108.54")):
            shown += read_until(screen, prompt)
            os.write(screen, f"{typed}\n".encode())
        asked = shown
        shown += read_until(screen, "100.87")  # in the report
        code = process.wait(60)
    os.close(screen)
    assert code == 1
    assert "Type your values; they are not shown" in shown
    assert "100.870" not in asked
    assert "00100.870" not in shown
    assert "005108.54" not in shown
    assert "Warning about this table" in shown


def test_the_help_names_who_can_see_the_values_of_a_command(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["check", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "every user of this computer can see them in its list of processes" in said


# -- how the command ends -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (FormatError("No such release."), 2, "verikit: No such release."),
        (OSError(5, "Input/output error", "a.csv"), 2, "verikit: 'a.csv': Input/output error."),
        (MemoryError(), 2, "verikit: there is not enough memory"),
        (RecursionError(), 2, "nested too deeply"),
        (OverflowError(), 2, "a number in the input is too large"),
        (KeyboardInterrupt(), 130, "verikit: stopped; nothing was written."),
        (BrokenPipeError(), 141, ""),
        (TypeError("X1=97.1"), 3, "this is a fault of verikit, not yours (TypeError); please repo"),
    ],
    ids=lambda part: type(part).__name__ if isinstance(part, BaseException) else None,
)
def test_the_exit_code_tells_whose_fault_it_was(monkeypatch, capsys, error, code, said):
    def fail(*_, **__):
        raise error

    monkeypatch.delenv("VERIKIT_DEBUG", raising=False)
    monkeypatch.setattr("verikit.cli._check.find_release", fail)
    assert main(["check", "anything", *HERS]) == code
    told = capsys.readouterr().err
    assert said in told
    assert len(told.splitlines()) == bool(said)
    assert "97.1" not in told


@pytest.mark.parametrize("way", ["before", "after", "environment"])
def test_where_an_error_happened_is_shown_only_when_asked_for(monkeypatch, capsys, way):
    def fail(*_, **__):
        raise TypeError

    monkeypatch.setattr("verikit.cli._check.find_release", fail)
    monkeypatch.setenv("VERIKIT_DEBUG", "1" if way == "environment" else "")
    given = ["check", "anything", *HERS]
    given = {"before": ["--debug", *given], "after": [*given, "--debug"]}.get(way, given)
    assert main(given) == 3
    told = capsys.readouterr().err
    assert "Traceback" in told
    assert told.splitlines()[-1].startswith("verikit: this is a fault of verikit")


def test_the_help_explains_every_exit_code(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    told = capsys.readouterr().out
    for code in (0, 1, 2, 3, 130, 141):
        assert f"\n  {code} " in told
