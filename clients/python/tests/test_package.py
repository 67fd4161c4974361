"""The package as it is installed."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_every_folder_is_installed() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    listed = re.search(r"^packages = \[(.*)\]$", text, re.MULTILINE)
    assert listed is not None
    folders = {path.parent for path in ROOT.glob("virtual_computers/**/*.py")}
    names = {".".join(folder.relative_to(ROOT).parts) for folder in folders}
    assert set(re.findall(r'"([^"]+)"', listed[1])) == names
