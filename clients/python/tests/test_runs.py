"""Runs, and the states of their tasks."""

from __future__ import annotations

import json

from conftest import Answer, ScriptedService
from virtual_computers import Run, RunTask, VirtualComputers

TASK = {"name": "write", "status": "passed", "message": "", "seconds": 2.5, "has_picture": True}
RUN = {"id": "run_1", "name": "office", "created_at": "2026-01-01", "tasks": [TASK]}


def answer(body: object) -> Answer:
    return Answer(body=json.dumps(body).encode())


def test_runs_are_created_read_and_their_tasks_updated(service: ScriptedService) -> None:
    picture = Answer(body=b"JPEG", headers={"content-type": "image/jpeg"})
    service.answers = [answer(RUN), answer({"runs": [RUN]}), answer(RUN), answer({}), picture]
    vc = VirtualComputers(service.base_url, "k")
    expected = Run("run_1", "office", "2026-01-01", [RunTask("write", "passed", "", True, 2.5)])
    assert vc.runs.create("office", ["write"]) == expected
    assert vc.runs.list() == [expected]
    assert vc.runs.get("run_1") == expected
    vc.runs.update_task("run_1", "write", "passed", seconds=2.5, picture=b"JPEG")
    assert vc.runs.picture("run_1", "write") == b"JPEG"
    assert [(each.method, each.path) for each in service.received] == [
        ("POST", "/api/runs"),
        ("GET", "/api/runs"),
        ("GET", "/api/runs/run_1"),
        ("PUT", "/api/runs/run_1/tasks/write"),
        ("GET", "/api/runs/run_1/tasks/write/picture"),
    ]
    assert json.loads(service.received[0].body) == {"name": "office", "tasks": ["write"]}
    state = {"status": "passed", "seconds": 2.5, "picture": "SlBFRw=="}
    assert json.loads(service.received[3].body) == state
