"""Ways out of the process in which a student's function runs: the kernel closes them, not Python.

Each way is a line that ends without an error only if it worked; no audit hook is set.
"""

import ctypes
import os
import resource
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import verikit as vk
from verikit.errors import RecordError
from verikit.exercises import _run, missing_fence, trusting
from verikit.exercises._run import make_rows

held = pytest.mark.usefixtures("fence")


@pytest.fixture
def fence():
    """Skip where the system has no fence for the functions of others."""
    if missing_fence():
        pytest.skip(missing_fence())


DATA = vk.simulate("dm", 20, seed=1)
REFUSED, DONE, MISTYPED = 0, 1, 2
ALL = """
def publish(data, seed):
    told = []
    for line in {lines!r}:
        try:
            exec(line, {{"pd": pd, "np": np}})
            told.append(1)
        except (NameError, SyntaxError):
            told.append(2)
        except BaseException:
            told.append(0)
    frame = data.frame * 0.0
    frame.iloc[: len(told), 0] = told
    return frame
"""
LIBC = "import ctypes; libc = ctypes.CDLL(None, use_errno=True); "
CALL = LIBC + "assert libc.syscall{} >= 0"
SIGNALLED = (
    "import fcntl, os; r, w = os.pipe(); fcntl.fcntl(r, 10, 9); fcntl.fcntl(r, 8, os.getppid())"
)
UNHOOKED = (
    "import os; from verikit.exercises import _sandbox as s; s.FORBIDDEN, s.WRITING_FLAGS = (), 0; "
    "s.refuse_event.__code__ = (lambda e, a: None).__code__; "
)

READING = [
    "open('/etc/passwd').read()",
    "open({secret!r}).read()",
    "open({other!r}).read()",
    "import os; open(f'/proc/{{os.getppid()}}/environ', 'rb').read()",
    "open('/proc/self/root/etc/passwd').read()",
    "import os; os.listdir('/')",
    "import os; os.listdir({course!r})",
    "import os; os.listdir('.')",
    "import os; os.readlink('/proc/self/cwd') and os.listdir('/proc')",
    "import glob; assert glob.glob({course!r} + '/*')",
    LIBC + "assert libc.open({secret!r}.encode(), 0) >= 0",
    "pd.read_csv({secret!r})",
    "import mmap, os; mmap.mmap(os.open({secret!r}, os.O_RDONLY), 0, prot=1)",
]
WRITING = [
    "open({other!r}, 'w')",
    "open('own', 'w')",
    "open('/tmp/verikit-escaped', 'w')",
    "open('/dev/shm/verikit-escaped', 'w')",
    "import os; os.unlink({other!r})",
    "import os; os.rename({other!r}, {other!r} + '.gone')",
    "import os; os.link({other!r}, {other!r} + '.link')",
    "import os; os.symlink('/', {course!r} + '/link')",
    "import os; os.mkdir({course!r} + '/made')",
    "import os; os.mkfifo({course!r} + '/pipe')",
    "import os; os.chmod({other!r}, 0o777)",
    "import os; os.utime({other!r}, (0, 0))",
    "import os; os.chown({other!r}, os.getuid(), os.getgid())",
    "import os; os.setxattr({other!r}, 'user.x', b'y')",
    "import os; os.truncate({other!r}, 0)",
    LIBC + "assert libc.unlink({other!r}.encode()) == 0",
]
STARTING = [
    "import os; assert os.system('echo out > {course}/owned') == 0",
    "import subprocess; subprocess.run(['true'], check=True)",
    "import os; os.fork()",
    "import os; os.posix_spawn('/bin/true', ['true'], {{}})",
    "import os; os.execv('/bin/true', ['true'])",
    "import multiprocessing as m; p = m.Process(target=print); p.start()",
    UNHOOKED + "assert os.system('setsid sleep 60 &') == 0",
    LIBC + "assert libc.system(b'id > {course}/owned') == 0",
    LIBC + "assert libc.fork() >= 0",
    LIBC + "assert libc.vfork() >= 0",
    CALL.format("({clone}, 17, 0, 0, 0, 0)"),
    CALL.format("(435, ctypes.create_string_buffer(64), 64)"),
    CALL.format("(0x40000039,)"),
    "import os; f = os.memfd_create('x'); os.write(f, b'#!/bin/true'); os.execve(f, ['x'], {{}})",
]
REACHING = [
    "import socket; socket.create_connection({address}, 2)",
    "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', {address})",
    "import socket; socket.socket(socket.AF_UNIX)",
    "import urllib.request; urllib.request.urlopen('http://%s:%s' % {address}, timeout=2)",
    LIBC + "assert libc.socket(2, 1, 0) >= 0",
    CALL.format("(425, 8, ctypes.create_string_buffer(120))"),
    "import os; os.kill(os.getppid(), 0)",
    "import os; os.kill({me}, 10)",
    "import os; os.killpg(os.getpgid({me}), 10)",
    LIBC + "import os; assert libc.kill(os.getppid(), 0) == 0",
    LIBC + "import os; assert libc.ptrace(16, os.getppid(), 0, 0) == 0",
    LIBC + "assert libc.ptrace(16, {me}, 0, 0) == 0",
    "import resource; resource.prlimit({me}, resource.RLIMIT_CORE, (0, 0))",
    "import os; os.setpriority(os.PRIO_PROCESS, {me}, 19)",
    SIGNALLED,
    LIBC + "assert libc.unshare(0x10000000) == 0",
    LIBC + "assert libc.shmget(77, 4096, 0o1777) >= 0",
    LIBC + "assert libc.mount(b'x', b'/tmp', b'tmpfs', 0, 0) == 0",
]


KINDS = ["reading", "writing", "starting", "reaching"]


def run(line):
    source = f"def publish(data, seed):\n    {line}\n    return data.frame"
    return make_rows(source, "publish", DATA, [1])


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    course = tmp_path_factory.mktemp("course")
    secret, other = course / ".verikit-secret", course / "zoe.ipynb"
    secret.write_text("0f1e2d")
    other.write_text("hers")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        names = {"course": str(course), "secret": str(secret), "other": str(other)}
        clone = _clone()
        yield names | {"address": server.getsockname(), "me": os.getpid(), "clone": clone}
        with pytest.raises(TimeoutError):
            server.accept()


def _clone():
    return {"x86_64": 56, "aarch64": 220}.get(os.uname().machine, 56)


@held
def test_an_answer_that_tries_nothing_runs():
    (rows,) = run("import os, scipy.stats, zoneinfo; assert os.getpid() > 0")
    assert (rows == DATA.frame.to_numpy()).all()


@held
@pytest.mark.parametrize("ways", [READING, WRITING, STARTING, REACHING], ids=KINDS)
def test_no_way_leads_out_of_the_fence(ways, place):
    before = _state(place)
    lines = [line.format(**place) for line in ways]
    (rows,) = make_rows(ALL.format(lines=lines), "publish", DATA, [1])
    told = dict(zip(lines, rows[:, 0].tolist(), strict=False))
    assert {line: what for line, what in told.items() if what != REFUSED} == {}
    assert _state(place) == before


@held
def test_a_way_that_is_open_is_told_from_one_that_is_closed():
    (rows,) = make_rows(ALL.format(lines=["1", "1/0", "x", "1 1"]), "publish", DATA, [1])
    assert rows[:4, 0].tolist() == [DONE, REFUSED, MISTYPED, MISTYPED]


def _state(place):
    """What the process could have changed of its surroundings."""
    facts = {
        path.name: (path.is_file() and path.read_bytes(), *path.lstat()[:9])
        for path in Path(place["course"]).iterdir()
    }
    limits = resource.getrlimit(resource.RLIMIT_CORE), os.getpriority(os.PRIO_PROCESS, 0)
    return facts, limits, [Path(home, "verikit-escaped").exists() for home in ("/tmp", "/dev/shm")]


@held
def test_nothing_that_an_answer_started_is_left_when_it_ends(place):
    mark = f"verikit-{os.getpid()}"
    with pytest.raises(RecordError):
        run(f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', '{mark}; 1/0'])")
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    assert mark not in listed.stdout.replace("ps -eo args", "")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("raise ValueError('the secret ' * 3)", "ValueError in line 2"),
        ("raise vk.RecordError('the secret')", "RecordError in line 2"),
        ("raise type('the secret', (Exception,), {})", "an error of its own in line 2"),
        ("raise type('ValueError', (Exception,), {})('the secret')", "ValueError in line 2"),
        ("import os; os.write(3, b'{\"error\": \"secret\"}'); os._exit(0)", "an error of its own"),
        ("import os; os.write(3, b'{\"gap\": \"secret\"}'); os._exit(0)", "it ended"),
        ("import os; os.write(3, b'{\"made\": []}'); os._exit(0)", "gave back something else"),
        ("import os; os.write(3, b'[' * 9**5); os._exit(0)", "it ended"),
        ("return 10**400", "gave back something else"),
        ("return pd.DataFrame({'the secret': [1]})", "gave back something else"),
    ],
)  # fmt: skip
def test_no_word_of_the_process_is_repeated(line, said):
    with trusting(), pytest.raises(RecordError) as told:
        make_rows(f"def publish(data, seed):\n    {line}", "publish", DATA, [1])
    assert said in str(told.value)
    assert "secret" not in str(told.value)


def test_fewer_tables_than_seeds_are_no_answer():
    line = "import json, os; os.write(3, json.dumps({'made': [data.frame.values.tolist()]}).encode()); os._exit(0)"  # noqa: E501 # fmt: skip
    with trusting(), pytest.raises(RecordError, match="gave back something else"):
        make_rows(f"def publish(data, seed):\n    {line}", "publish", DATA, [1, 2])


@pytest.fixture
def unfenced(tmp_path, monkeypatch):
    """A machine of another system: the kernel closes nothing."""
    fence = tmp_path / "fence.py"
    fence.write_text(
        "import os, runpy\nos.uname = lambda: os.uname_result(('other',) * 5)\n"
        f"close_sandbox = runpy.run_path({str(_run.FENCE)!r})['close_sandbox']\n"
    )
    monkeypatch.setattr(_run, "FENCE", fence)
    missing_fence.cache_clear()
    yield
    monkeypatch.undo()
    missing_fence.cache_clear()


def test_where_the_kernel_cannot_hold_it_an_answer_is_run_only_if_it_is_trusted(unfenced):
    assert missing_fence().startswith("this system or processor has no fence")
    with pytest.raises(RecordError, match="publish was not run: this system or processor has no"):
        run("pass")
    with trusting():
        (rows,) = run("pass")
        assert (rows == DATA.frame.to_numpy()).all()
        with pytest.raises(RecordError, match="publish did not run: PermissionError in line 2"):
            run("open('own', 'w')")
    with trusting(False), pytest.raises(RecordError, match="was not run"):
        run("pass")


@held
def test_a_landlock_of_every_version_is_asked_for_what_it_knows():
    from verikit.exercises import _sandbox

    asked = []

    class Libc:
        def syscall(self, number, *given):
            if number == _sandbox.CREATE_RULESET and given[0] is None:
                return self.version
            asked.append(given[0]) if number == _sandbox.CREATE_RULESET else None
            return 0

    for version in (1, 2, 3, 4, 5, 6, 7):
        Libc.version = version
        assert _sandbox._close_files(Libc(), [])
    assert [len(one) for one in asked] == [8, 8, 8, 16, 16, 24, 24]
    files = [int.from_bytes(one[:8], "little") for one in asked]
    assert [one.bit_length() for one in files] == [13, 14, 15, 15, 16, 16, 16]
    Libc.version = -1
    assert not _sandbox._close_files(Libc(), [])


@held
def test_the_fence_is_tried_and_an_open_one_is_noticed():
    """In a child without any fence each try succeeds, so the first is named."""
    code = "import ctypes, runpy, sys; m = runpy.run_path(sys.argv[1]); print(m['_try_ways_out'](ctypes.CDLL(None)))"  # noqa: E501 # fmt: skip
    done = subprocess.run([sys.executable, "-P", "-c", code, str(_run.FENCE)],
                          capture_output=True,
                          text=True, check=True)  # fmt: skip
    assert done.stdout == "files\n"
    assert ctypes.CDLL(None)
