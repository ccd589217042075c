"""Start ``verikit app`` as a person does, and prove that it answers her and nobody else."""

import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar

FIRST_ANSWER = 60  # seconds


def free_port():
    """A port that nothing listens to."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def fetch(address):
    """A page, with the cookie that its token earns."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    with opener.open(address, timeout=FIRST_ANSWER) as answer:
        return answer.geturl(), answer.read().decode("utf-8")


def expect(held, words):
    """Say what was proved, or end with what was not."""
    if not held:
        sys.exit(f"   not so: {words}")
    print(f"   {words}")


def prove(line, port):
    """Open the page with its token, then without it."""
    address = re.search(rf"http://127\.0\.0\.1:{port}/\S*token=\S+", line).group()
    landed, page = fetch(address)
    expect("/login" not in landed, "the token opens the page")
    expect("There was an error when executing cell" not in page, "the notebook runs without error")
    expect("application/vnd.jupyter.widget-view+json" in page, "the page holds the self-check")
    try:
        refused = "/login" in fetch(f"http://127.0.0.1:{port}/")[0]
    except urllib.error.HTTPError as error:
        refused = error.code in {401, 403}
    expect(refused, "nobody opens the page without its token")


def main():
    """Exit with 0 if the page answers and Ctrl-C ends it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored
    port, began = free_port(), time.monotonic()
    command = ["verikit", "app", "--no-browser", "--port", str(port)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            prove(process.stdout.readline(), port)
            print(f"   the self-check answered {time.monotonic() - began:.1f} s after the command")
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
    return process.returncode


if __name__ == "__main__":
    sys.exit(main())
