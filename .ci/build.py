"""Build sdist and wheel, the same bytes from the same files: ``python .ci/build.py FOLDER``.

Built is what was committed last, with its time as that of every file (`SOURCE_DATE_EPOCH`).
"""

import gzip
import io
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent


def build(source, target, epoch):
    """Build both from a folder, and write the sdist once more without who wrote it and when."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(target)]
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(epoch)}
    subprocess.run([*command, str(source)], check=True, capture_output=True, env=environment)
    (sdist,) = Path(target).glob("*.tar.gz")
    content = io.BytesIO()
    with tarfile.open(sdist) as before, tarfile.open(fileobj=content, mode="w") as after:
        for member in sorted(before.getmembers(), key=lambda one: one.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = epoch, 0, 0, "", ""
            member.mode, member.pax_headers = 0o755 if member.isdir() else 0o644, {}
            after.addfile(member, before.extractfile(member) if member.isfile() else None)
    sdist.write_bytes(gzip.compress(content.getvalue(), mtime=epoch))


def main(target):
    """Build what was committed last."""
    asked = ["git", "-C", str(CHECKOUT), "log", "-1", "--format=%ct"]
    epoch = int(subprocess.run(asked, check=True, capture_output=True, text=True).stdout)
    with tempfile.TemporaryDirectory() as scratch:
        packed = Path(scratch, "commit.tar")
        archive = ["git", "-C", str(CHECKOUT), "archive", "-o", str(packed), "HEAD"]
        subprocess.run(archive, check=True)
        source = Path(scratch, "source")
        with tarfile.open(packed) as commit:
            commit.extractall(source, filter="data")
        build(source, target, epoch)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
