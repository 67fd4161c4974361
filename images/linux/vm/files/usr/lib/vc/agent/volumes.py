"""Mounts the volumes of this computer: the directories of one virtio file system."""

import os
import re

import processes

TAG = "vc-volumes"
BASE = "/run/vc-volumes"


def parse(volumes):
    """Returns the argument of `mount`. Raises ValueError."""
    if not isinstance(volumes, list):
        raise ValueError("volumes must be a list")
    return [(field(each, "id"), field(each, "path"), each.get("readOnly") is True) for each in volumes]


def field(volume, name):
    pattern = {"id": r"[a-z0-9_]{1,40}", "path": r"(/[A-Za-z0-9._@+-]+)+"}[name]
    value = volume.get(name) if isinstance(volume, dict) else None
    if not isinstance(value, str) or not re.fullmatch(pattern, value):
        raise ValueError(f"{name} of a volume is not what it should be")
    return value


def mount(volumes):
    """Mounts those that are not mounted yet."""
    present = mounted()
    missing = [volume for volume in volumes if volume[1] not in present]
    if not missing:
        return
    os.makedirs(BASE, 0o700, exist_ok=True)
    run("mount", "-t", "virtiofs", TAG, BASE)
    try:
        for name, path, read_only in missing:
            os.makedirs(path, exist_ok=True)
            run("mount", "--bind", f"{BASE}/{name}", path)
            mode = "ro" if read_only else "rw"
            run("mount", "-o", f"remount,bind,{mode},nosuid,nodev", path)
    finally:
        run("umount", "-l", BASE)


def mounted():
    """Where virtio file systems are mounted."""
    with open("/proc/mounts") as file:
        fields = [line.split() for line in file]
    return {path for _, path, kind, *_ in fields if kind == "virtiofs"}


def run(program, *arguments):
    environment = {**processes.USER_ENVIRONMENT, "HOME": "/root"}
    processes.run([f"/usr/bin/{program}", *arguments], environment)
