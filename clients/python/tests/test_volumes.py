"""Volumes, and computers that mount them."""

from __future__ import annotations

import json

from conftest import COMPUTER, Answer, ScriptedService
from virtual_computers import Mount, VirtualComputers, Volume

DATA = {"name": "data", "engine": "docker", "bytes": 5, "used_by": 1, "created_at": "2026-01-01"}
MOUNT = {"name": "data", "path": "/data", "read_only": True}


def answer(body: object) -> Answer:
    return Answer(body=json.dumps(body).encode())


def test_volumes_are_created_listed_deleted_and_mounted(service: ScriptedService) -> None:
    created = answer({**COMPUTER, "volumes": [MOUNT]})
    service.answers = [answer(DATA), answer({"volumes": [DATA]}), created, answer({})]
    vc = VirtualComputers(service.base_url, "k")
    assert vc.volumes.create("data", engine="docker") == Volume(**DATA)
    assert vc.volumes.list() == [Volume(**DATA)]
    desk = vc.computers.create("prj", "desk", volumes=["data:/data:ro"])
    assert desk.info is not None and desk.info.volumes == [Mount(**MOUNT)]
    vc.volumes.delete("data")
    first, _, third, last = service.received
    assert json.loads(first.body) == {"name": "data", "engine": "docker"}
    assert json.loads(third.body)["volumes"] == ["data:/data:ro"]
    assert (last.method, last.path) == ("DELETE", "/api/volumes/data")
