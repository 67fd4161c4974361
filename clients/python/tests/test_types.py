"""The annotations: mypy accepts the client and right programs, and refuses wrong ones."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

RIGHT = """
import asyncio
from virtual_computers import AsyncVirtualComputers, CommandResult, Computer, Settled, VirtualComputers

vc = VirtualComputers()
with vc.computers.create("lab", "desk", cpu=2) as desk:
    settled: Settled = desk.click(1, 2, button="right", settle=True)
    picture: bytes = desk.screenshot("x.png", format="jpeg")
    result: CommandResult = desk.bash("true", check=True)
    names: list[str] = [one.name for one in desk.files.list()]
    stdout: str = desk.run(["ls"], on_stdout=print).stdout
    parents: list[str | None] = [one.parent for one in desk.snapshots.list()]
    copy: Computer = desk.fork("copy", snapshot=desk.snapshots.create("clean").name)
    copies: list[Computer] = desk.fork(["a", "b"])
    users: int | None = vc.images.save("ready", desk).used_by
    size: int = vc.images.build(".", "built", args={"A": "b"}, secrets={"s": b"t"}, on_event=print).bytes

async def main() -> None:
    async with AsyncVirtualComputers() as vc:
        async with await vc.computers.create("lab", "desk") as desk:
            result: CommandResult = await desk.bash("true")
            one, two = await asyncio.gather(desk.screenshot(), desk.clipboard())
            two.lower()
            async with (await desk.fork(["a", "b"]))[0] as copy:
                await copy.reset("clean")
                await vc.images.save("ready", copy)
                log: str = await vc.images.log((await vc.images.build(".", "built")).name)
"""

WRONG = [
    'vc.computers.get(id="c").click("1", 2)',
    'vc.computers.get(id="c").click(1, 2, buton="right")',
    'vc.computers.get(id="c").click(1, 2, button="rihgt")',
    'vc.computers.get(id="c").screenshot(format="gif")',
    'vc.computers.get(id="c").bash("true").exitcode',
    'vc.computers.create("lab", "desk", ram=3)',
    'vc.computers.get(id="c").fork(["a", "b"]).name',
    'vc.images.save("ready", "lab/desk")',
    'vc.images.build(".", "built", args={"VERSION": 2})',
]


def mypy(directory: Path, *arguments: str) -> list[str]:
    # The package is installed for the Python that mypy runs in.
    command = ["mypy", "--strict", "--cache-dir", str(directory / "cache"), *arguments]
    env = {**os.environ, "MYPYPATH": str(ROOT)}
    result = subprocess.run(command, cwd=directory, env=env, capture_output=True, text=True)
    assert result.stderr == ""
    return result.stdout.splitlines()


def test_annotations(tmp_path: Path) -> None:
    try:
        subprocess.run(["mypy", "--version"], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("needs mypy")
    (tmp_path / "right.py").write_text(RIGHT)
    start = "from virtual_computers import VirtualComputers\nvc = VirtualComputers()\n"
    (tmp_path / "wrong.py").write_text(start + "\n".join(WRONG))
    found = mypy(tmp_path, "-p", "virtual_computers", "-m", "right", "-m", "wrong")
    errors = [line for line in found if ": error:" in line]
    assert [line for line in errors if not line.startswith("wrong.py")] == []
    lines = {int(line.split(":")[1]) for line in errors}
    assert lines == set(range(3, 3 + len(WRONG)))
