"""Snapshots, reset, forks and images, against scripted answers."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from conftest import COMPUTER, Answer, ScriptedService
from virtual_computers import (
    AsyncVirtualComputers,
    ComputerStartError,
    Image,
    Snapshot,
    VirtualComputers,
)

CLEAN = {
    **{"name": "clean", "parent": None, "created_at": "2026-01-01T00:00:00Z", "bytes": 5},
    **{"memory": False, "current": True, "field_of_a_newer_service": 1},
}
READY = {
    **{"name": "ready", "engine": "docker", "os": "linux", "kind": "saved", "status": "ready"},
    **{"bytes": 5, "created_at": "2026-01-01T00:00:00Z", "resolution": None, "used_by": 1},
}
SUCCESS = {"success": True}


def computer(id: str = "cmp_1", status: str = "running") -> dict[str, Any]:
    return {**COMPUTER, "id": id, "name": id, "status": status}


def answers(*bodies: dict[str, Any]) -> list[Answer]:
    return [Answer(body=json.dumps(body).encode()) for body in bodies]


def sent(service: ScriptedService) -> list[tuple[str, str, Any]]:
    """Method, path and body of each request."""
    return [
        (one.method, one.path.removeprefix("/api"), json.loads(one.body) if one.body else None)
        for one in service.received
    ]


def client(service: ScriptedService) -> VirtualComputers:
    return VirtualComputers(service.base_url, "k")


def test_snapshots(service: ScriptedService) -> None:
    service.answers = answers(CLEAN, CLEAN, {"snapshots": [CLEAN]}, SUCCESS)
    snapshots = client(service).computer("lab", "desk").snapshots
    clean = snapshots.create("clean")
    assert clean == Snapshot("clean", None, "2026-01-01T00:00:00Z", 5, False, True)
    snapshots.create(memory=False)
    assert snapshots.list() == [clean]
    snapshots.delete("clean")
    path = "/projects/lab/computers/desk/snapshots"
    assert sent(service) == [
        ("POST", path, {"name": "clean"}),
        ("POST", path, {"memory": False}),
        ("GET", path, None),
        ("DELETE", f"{path}/clean", None),
    ]


def test_reset_waits_until_the_computer_is_as_it_was(service: ScriptedService) -> None:
    stopping, stopped = computer(status="stopping"), computer(status="stopped")
    service.answers = answers(stopping, stopping, stopped, computer(), stopping)
    desk = client(service).computer(id="cmp_1")
    assert desk.reset().status == "stopped"
    assert desk.info is not None and desk.info.status == "stopped"
    assert desk.reset("clean").status == "running"
    assert desk.reset("clean", wait=False).status == "stopping"
    posts = [one for one in sent(service) if one[0] == "POST"]
    assert posts == [
        ("POST", "/computers/cmp_1/reset?wait=1", {}),
        ("POST", "/computers/cmp_1/reset?wait=1", {"snapshot": "clean"}),
        ("POST", "/computers/cmp_1/reset?wait=0", {"snapshot": "clean"}),
    ]
    service.answers = answers(computer(status="error"))
    with pytest.raises(ComputerStartError):
        desk.reset()


def test_forks_once_or_several_times(service: ScriptedService) -> None:
    several = {"computers": [computer("cmp_3"), computer("cmp_4", "starting")]}
    service.answers = answers(computer("cmp_2", "stopped"), several, computer("cmp_4"))
    desk = client(service).computer(id="cmp_1")
    assert desk.fork("copy", snapshot="clean").id == "cmp_2"
    copies = desk.fork(["a", "b"])
    assert [(one.id, one.info and one.info.status) for one in copies] == [
        ("cmp_3", "running"),
        ("cmp_4", "running"),
    ]
    assert sent(service) == [
        ("POST", "/computers/cmp_1/fork?wait=1", {"name": "copy", "snapshot": "clean"}),
        ("POST", "/computers/cmp_1/fork?wait=1", {"names": ["a", "b"]}),
        ("GET", "/computers/cmp_4", None),
    ]
    service.answers = answers({"computers": [computer("cmp_5"), computer("cmp_6", "error")]})
    with pytest.raises(ComputerStartError) as raised:
        desk.fork(("a", "b"))
    assert raised.value.computer.id == "cmp_6"


def test_copies_are_deleted_at_the_end_of_a_block(service: ScriptedService) -> None:
    service.answers = answers({"computers": [computer("cmp_2")]}, SUCCESS)
    with client(service).computer(id="cmp_1").fork(["a"])[0]:
        pass
    assert sent(service)[-1] == ("DELETE", "/computers/cmp_2", None)


def test_images(service: ScriptedService) -> None:
    service.answers = answers(READY, READY, READY, {"images": [READY], "failures": []}, SUCCESS)
    vc = client(service)
    image = vc.images.save("ready", vc.computer("my lab", "a/b"), snapshot="clean")
    assert isinstance(image, Image) and image.used_by == 1
    vc.images.save("ready", vc.computer(id="cmp_1"), shared=True)
    assert vc.images.get("ready") == image
    assert vc.images.list() == [image]
    vc.images.delete("ready")
    assert sent(service) == [
        ("POST", "/images", {"name": "ready", "computer": "my lab/a/b", "snapshot": "clean"}),
        ("POST", "/images", {"name": "ready", "computer": "cmp_1", "shared": True}),
        ("GET", "/images/ready", None),
        ("GET", "/images", None),
        ("DELETE", "/images/ready", None),
    ]


def test_the_same_with_await(service: ScriptedService) -> None:
    service.answers = answers(CLEAN, {"computers": [computer("cmp_2")]}, computer(), READY)

    async def main() -> None:
        async with AsyncVirtualComputers(service.base_url, "k") as vc:
            desk = vc.computer(id="cmp_1")
            assert (await desk.snapshots.create()).name == "clean"
            assert [one.id for one in await desk.fork(["a"], snapshot="clean")] == ["cmp_2"]
            assert (await desk.reset("clean")).status == "running"
            assert (await vc.images.save("ready", desk)).name == "ready"

    asyncio.run(main())
    assert len(service.received) == 4
