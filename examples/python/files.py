"""50 MB into a computer and back, with checksums. Files of any size go through in pieces."""

import hashlib
import os
import tempfile
import time
from pathlib import Path

from virtual_computers import VirtualComputers


def sha256(path: Path) -> str:
    total = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            total.update(piece)
    return total.hexdigest()


with tempfile.TemporaryDirectory() as directory, VirtualComputers() as vc:
    there, back = Path(directory, "there"), Path(directory, "back")
    there.write_bytes(os.urandom(50_000_000))

    project = vc.projects.create(f"files-{time.time_ns()}").name
    try:
        desk = vc.computers.create(project, "desk")
        desk.files.upload(there, "data.bin")
        in_computer = desk.bash("sha256sum data.bin", check=True).stdout.split()[0]
        desk.files.download("data.bin", back)

        sums = [sha256(there), in_computer, sha256(back)]
        print(*sums, sep="\n")
        assert len(set(sums)) == 1, "the checksums differ"
    finally:
        vc.projects.delete(project)
