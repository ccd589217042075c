"""The process in which one function of a student runs, held by the kernel.

It is run by path in a child, before that imports more than a few modules of Python: a process with
threads cannot be fenced in. Landlock closes all files
but those that Python itself consists of, seccomp closes the calls that reach other processes, the
network or the marks of a file; then each is tried. What fails to hold is named, and nothing is run
unless it is trusted; then Python refuses what it can. It decides nothing: who started it judges
the numbers that it writes.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
import sys
from collections.abc import Callable
from typing import Any

NEW_USER, NEW_NET, NEW_IPC = 0x10000000, 0x40000000, 0x08000000  # unshare(2)
DEATH_SIGNAL, NO_NEW_PRIVILEGES, KILL = 1, 38, 9  # prctl(2)
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # Landlock, on every machine
READ_FILE, READ_FOLDER = 1 << 2, 1 << 3
RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # how many rights to files each version knows
CAPABILITIES = 0x20080522  # version 3 of capset(2)
SECCOMP = {"x86_64": (317, 0xC000003E), "aarch64": (277, 0xC00000B7)}
LAST_CALL = 452  # calls that are newer than this list do not exist
REFUSED, ABSENT, ALLOWED = 0x00050001, 0x00050026, 0x7FFF0000  # EPERM, ENOSYS, go on
# Numbers on x86_64 and aarch64 of calls that need no privilege and reach beyond the process,
# and were not closed by Landlock; - where a machine has none.
CALLS = """
fork 57 -  vfork 58 -  execve 59 221  execveat 322 281  unshare 272 97  setns 308 268
socket 41 198  io_uring_setup 425 425  io_uring_enter 426 426  io_uring_register 427 427
kill 62 129  tkill 200 130  tgkill 234 131  rt_sigqueueinfo 129 138  rt_tgsigqueueinfo 297 240
pidfd_open 434 434  pidfd_send_signal 424 424  pidfd_getfd 438 438  ptrace 101 117
process_vm_readv 310 270  process_vm_writev 311 271  process_madvise 440 440
process_mrelease 448 448  kcmp 312 272  setpriority 141 140  ioprio_set 251 30
sched_setaffinity 203 122  sched_setscheduler 144 119  sched_setparam 142 118
sched_setattr 314 274  migrate_pages 256 238  move_pages 279 239  setsid 112 157  setpgid 109 154
bpf 321 280  perf_event_open 298 241  userfaultfd 323 282
keyctl 250 219  add_key 248 217  request_key 249 218  fanotify_init 300 262
inotify_init 253 -  inotify_init1 294 26
chmod 90 -  fchmod 91 52  fchmodat 268 53  fchmodat2 452 452  chown 92 -  fchown 93 55
lchown 94 -  fchownat 260 54  utime 132 -  utimes 235 -  futimesat 261 -  utimensat 280 88
setxattr 188 5  lsetxattr 189 6  fsetxattr 190 7  removexattr 197 14  lremovexattr 198 15
fremovexattr 199 16  truncate 76 45
shmget 29 194  shmat 30 196  shmctl 31 195  semget 64 190  semop 65 193  semctl 66 191
semtimedop 220 192  msgget 68 186  msgsnd 69 189  msgrcv 70 188  msgctl 71 187
mq_open 240 180  mq_unlink 241 181
"""
CLONE, CLONE3, FCNTL, PRLIMIT = (56, 220), (435, 435), (72, 25), (302, 261)
THREAD = 0x10000  # a clone that is a thread of this process
OWNERS = (8, 10, 15)  # fcntl(2) that has signals sent: F_SETOWN, F_SETSIG, F_SETOWN_EX
FORBIDDEN = (
    "socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn",
    "os.kill", "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.chmod", "os.chown", "os.link",
    "os.symlink", "os.truncate", "shutil.", "ctypes.", "pty.", "signal.pthread_kill",
)  # fmt: skip
WRITING_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def close_sandbox(readable: list[str]) -> str:
    """Let the kernel hold this process; what it does not hold, or nothing."""
    machine = os.uname().machine if sys.platform == "linux" else ""
    if machine not in SECCOMP:
        return "system"
    with contextlib.suppress(OSError):
        if len(os.listdir("/proc/self/task")) > 1:
            return "threads"
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(DEATH_SIGNAL, KILL, 0, 0, 0)
    libc.unshare(NEW_USER | NEW_NET | NEW_IPC)  # one fence more, where it is allowed
    libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    libc.capset(struct.pack("<Ii", CAPABILITIES, 0), bytes(24))
    if not _close_files(libc, readable):
        return "files"
    _close_calls(libc, machine)
    return _try_ways_out(libc)


def _close_files(libc: ctypes.CDLL, readable: list[str]) -> bool:
    """Landlock: some files and folders can be read, and no more."""
    version = libc.syscall(CREATE_RULESET, None, 0, 1)
    if version < 1:
        return False
    closed = struct.pack("<QQQ", (1 << RIGHTS.get(version, 16)) - 1, 3, 3)  # files, TCP, scopes
    closed = closed[: 8 if version < 4 else 16 if version < 6 else 24]
    rules = libc.syscall(CREATE_RULESET, closed, len(closed), 0)
    for path in readable:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        rights = READ_FILE | (READ_FOLDER if os.path.isdir(path) else 0)
        libc.syscall(ADD_RULE, rules, 1, struct.pack("<Qi", rights, place), 0)
        os.close(place)
    return rules >= 0 and libc.syscall(RESTRICT_SELF, rules, 0) == 0


def _close_calls(libc: ctypes.CDLL, machine: str) -> None:
    """Let seccomp refuse the calls of the list; what it does is tried afterwards."""
    number, architecture = SECCOMP[machine]
    program = b"".join(struct.pack("<HBBI", *line) for line in _write_filter(machine, architecture))
    kept = ctypes.create_string_buffer(program)
    rules_given = struct.pack("<HxxxxxxQ", len(program) // 8, ctypes.addressof(kept))
    libc.syscall(number, 1, 0, rules_given)


def _write_filter(machine: str, architecture: int) -> list[tuple[int, int, int, int]]:
    """The lines of a filter: code, steps if so, steps if not, operand."""
    load, equal, above, bits, end = 0x20, 0x15, 0x25, 0x45, 0x06
    at = list(SECCOMP).index(machine)
    words = CALLS.split()
    numbers = [words[k + 1 + at] for k in range(0, len(words), 3)]
    lines = [(load, 0, 0, 4), (equal, 1, 0, architecture), (end, 0, 0, REFUSED)]
    lines += [(load, 0, 0, 0), (above, 0, 1, LAST_CALL), (end, 0, 0, ABSENT)]
    lines += [(equal, 0, 1, CLONE3[at]), (end, 0, 0, ABSENT)]
    for number in numbers:
        if number != "-":
            lines += [(equal, 0, 1, int(number)), (end, 0, 0, REFUSED)]
    first, second = 16, 24  # where the arguments of a call lie
    lines += [(equal, 0, 4, CLONE[at]), (load, 0, 0, first), (bits, 0, 1, THREAD)]
    lines += [(end, 0, 0, ALLOWED), (end, 0, 0, REFUSED)]
    lines += [(equal, 0, 4, PRLIMIT[at]), (load, 0, 0, first), (equal, 0, 1, 0)]
    lines += [(end, 0, 0, ALLOWED), (end, 0, 0, REFUSED)]
    lines += [(equal, 0, 1 + len(OWNERS), FCNTL[at]), (load, 0, 0, second)]
    lines += [(equal, len(OWNERS) - k, 0, owner) for k, owner in enumerate(OWNERS)]
    return [*lines, (end, 0, 0, ALLOWED), (end, 0, 0, REFUSED)]


def _try_ways_out(libc: ctypes.CDLL) -> str:
    """The first thing that can be done though it must not be; empty if nothing can."""
    tries: dict[str, Callable[[], Any]] = {
        "files": lambda: os.listdir("/"),
        "writing": lambda: os.mkdir("made"),
        "marks": lambda: os.chmod(".", 0o700),
        "processes": lambda: os.fork() or os._exit(0),
        "signals": lambda: os.kill(os.getppid(), 0),
        "network": lambda: _refuse_as_python(libc.socket(2, 1, 0)),
        "programs": lambda: os.execv("/bin/true", ["true"]),
    }
    for name, attempt in tries.items():
        with contextlib.suppress(PermissionError):
            attempt()
            return name
    return ""


def _refuse_as_python(answer: int) -> None:
    """Say as Python does that a call was refused."""
    if answer < 0:
        raise PermissionError


def refuse_event(event: str, arguments: tuple[Any, ...]) -> None:
    """What Python itself refuses where the kernel does not hold, and an answer is trusted."""
    writes = event == "open" and bool(int(arguments[2] or 0) & WRITING_FLAGS)
    if writes or event.startswith(FORBIDDEN):
        refusal = PermissionError(f"{event} is not allowed here")  # libraries know this one
        raise refusal
