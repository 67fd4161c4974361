"""The fields of a new API key."""

from __future__ import annotations

import json

from conftest import Answer, ScriptedService
from virtual_computers import VirtualComputers


def test_a_new_key_can_have_fewer_rights(service: ScriptedService) -> None:
    answer = {"id": "k", "name": "agent", "created_at": "2026-01-01T00:00:00.000Z"}
    service.answers = [Answer(body=json.dumps(answer).encode())]
    vc = VirtualComputers(service.base_url, "k")
    vc.keys.create("agent", rights="act", project="lab", expires_at="2027-01-01T00:00:00Z")
    [request] = service.received
    body = {"name": "agent", "rights": "act", "project": "lab"}
    assert json.loads(request.body) == {**body, "expires_at": "2027-01-01T00:00:00Z"}
