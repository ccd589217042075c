"""Prove that verikit says in a browser's Python what it says here: Pyodide, under node.

    python .ci/wasm/prove.py verikit.whl folder

Where what it needs (`kernel.py`) cannot be fetched it says so, and proves nothing.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from kernel import fetch_parts, fetch_wheels  # noqa: E402

MAX_WITHOUT = 12  # exercises that want scipy


def fetch_site(wheel, work):
    """Fetch Pyodide, and unpack beside it the packages that it is to import."""
    pyodide = fetch_parts(work)
    fetch_wheels(work, ["--no-deps", "python-dateutil"], ["--no-deps", "six"])
    for path in [wheel, *work.glob("*.whl")]:
        shutil.unpack_archive(path, work / "site", "zip")
    return pyodide / "pyodide.mjs"


def ask(*command):
    """What a Python says, and the lines before."""
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    before, _, said = done.stdout.partition("SAID ")
    if not said:
        sys.exit(f"   it said nothing:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return json.loads(said), before.strip()


def main(wheel, work):
    """Ask both, and compare."""
    if not (shutil.which("node") and shutil.which("npm")):
        print("   no node: verikit in a browser's Python is not proved")
        return
    try:
        pyodide = fetch_site(wheel, work)
    except (subprocess.CalledProcessError, StopIteration) as error:
        print(f"   Pyodide could not be fetched, and nothing is proved: {error}")
        return
    script = str(HERE / "ask.py")
    here, _ = ask(sys.executable, "-P", script)
    there, before = ask("node", str(HERE / "ask.mjs"), str(pyodide), script, str(work / "site"))
    lacking = [name for name, said in there.items() if said == "needs scipy"]
    differing = [name for name in here if there[name] not in (here[name], "needs scipy")]
    same = len(here) - len(lacking) - len(differing)
    print(f"   {before.lower()} ms; {same} of {len(here)} say the same")
    print(f"   without scipy cannot be asked: {', '.join(lacking)}")
    for name in differing:
        print(f"   {name}\n      here  {here[name]}\n      there {there[name]}")
    if differing or len(lacking) > MAX_WITHOUT:
        sys.exit("   a browser's Python does not say what this one says")


main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
