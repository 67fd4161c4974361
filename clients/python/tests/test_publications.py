"""Published ports of computers."""

from __future__ import annotations

import json

from conftest import Answer, ScriptedService
from virtual_computers import Publication, VirtualComputers

PUBLICATION = {
    "port": 8000,
    "computer_id": "cmp_1",
    "computer": "desk",
    "project": "demo",
    "public": False,
    "url": "http://8000-desk-0.localhost:4700/",
    "created_at": "2026-01-01",
    "expires_at": None,
}
LINK = "http://8000-desk-0.localhost:4700/?vc_ticket=vt_0"


def answer(body: object) -> Answer:
    return Answer(body=json.dumps(body).encode())


def test_ports_are_published_listed_and_ended(service: ScriptedService) -> None:
    created = answer({**PUBLICATION, "link": LINK})
    service.answers = [created, created, answer({"publications": [PUBLICATION]}), answer({})]
    vc = VirtualComputers(service.base_url, "k")
    desk = vc.computer("demo", "desk")
    assert desk.publish(8000) == Publication(**PUBLICATION, link=LINK)
    desk.publish(8000, public=True, expires_in=60)
    assert vc.publications.list() == [Publication(**PUBLICATION)]
    desk.unpublish(8000)
    first, second, _, last = service.received
    assert json.loads(first.body) == {"port": 8000}
    assert json.loads(second.body) == {"port": 8000, "public": True, "expires_in": 60}
    path = "/api/projects/demo/computers/desk/publications/8000"
    assert (last.method, last.path) == ("DELETE", path)
