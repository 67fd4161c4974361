"""Requests, retries, errors and time limits, against scripted answers."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from typing import Any

import pytest

from conftest import COMPUTER, Answer, ScriptedService
from virtual_computers import (
    AsyncVirtualComputers,
    ComputerStartError,
    ServiceError,
    ServiceTimeoutError,
    ServiceUnreachableError,
    UntrustedListenerError,
    VirtualComputers,
)

BUSY = Answer(429, b'{"error": "busy"}', {"Retry-After": "0", "x-error-code": "rate_limited"})
DOWN = Answer(503, b'{"error": "no engine"}', {"retry-after": "0"})


def client(service: ScriptedService, **options: Any) -> VirtualComputers:
    return VirtualComputers(service.base_url, "secret-key", **options)


def test_sends_the_key_and_only_the_fields_that_are_given(service: ScriptedService) -> None:
    client(service).computer("my project", "a/b").click(1, 2.5, keys=["ctrl"], settle=(200, 5000))
    [request] = service.received
    assert request.path == "/api/projects/my%20project/computers/a%2Fb/click"
    assert request.headers["authorization"] == "Bearer secret-key"
    settle = {"quiet_ms": 200, "max_ms": 5000}
    assert json.loads(request.body) == {"x": 1, "y": 2.5, "keys": ["ctrl"], "settle": settle}


def test_writes_queries(service: ScriptedService) -> None:
    desk = client(service).computer(id="..")
    desk.screenshot(region=(1, 2, 3, 4), cursor=True, settle=(200, 5000), scale=0.5)
    desk.files.remove("a b&c", recursive=True)
    paths = [request.path.removeprefix("/api/computers/%2E%2E") for request in service.received]
    picture = "format=png&scale=0.5&cursor=true&region=1%2C2%2C3%2C4&settle=200%2C5000"
    assert paths == [f"/screenshot?{picture}", "/entry?path=a+b%26c&recursive=true"]


def test_raises_the_error_of_the_service(service: ScriptedService) -> None:
    headers = {"x-error-code": "off_screen", "x-error-remedy": "Gr%C3%B6%C3%9Fe: see 100%25"}
    headers |= {"x-request-id": "req-1", "Retry-After": "7"}
    service.answers = [Answer(400, '{"error": "x is 9999"}'.encode(), headers)]
    with pytest.raises(ServiceError) as raised:
        client(service).computer(id="c").click(9999, 1)
    error = raised.value
    assert (error.code, error.status, error.message) == ("off_screen", 400, "x is 9999")
    assert (error.remedy, error.request_id) == ("Größe: see 100%", "req-1")
    assert error.retry_after == 7
    assert str(error) == "x is 9999. Größe: see 100%"


@pytest.mark.parametrize(
    ("status", "code"), [(404, "not_found"), (418, "invalid_request"), (599, "internal")]
)
def test_keeps_a_status_without_a_code(service: ScriptedService, status: int, code: str) -> None:
    service.answers = [Answer(status, b'{"error": "no"}')]
    with pytest.raises(ServiceError) as raised:
        client(service).me()
    assert (raised.value.code, raised.value.status) == (code, status)


@pytest.mark.parametrize(
    "answer", [Answer(502, b"<html>Bad Gateway</html>"), Answer(200, b"<html>"), Answer(200, b"[]")]
)
def test_tells_another_program_from_the_service(service: ScriptedService, answer: Answer) -> None:
    service.answers = [answer]
    with pytest.raises(ServiceUnreachableError) as raised:
        client(service, max_retries=0).me()
    assert raised.value.status == answer.status


def test_repeats_what_was_not_carried_out(service: ScriptedService) -> None:
    service.answers = [BUSY, BUSY, Answer()]
    client(service).computer(id="c").click(1, 2)
    assert len(service.received) == 3
    service.answers = [DOWN, Answer(200, b'{"keys": []}')]
    assert client(service).keys.list() == []
    service.answers = [DOWN, Answer()]
    with pytest.raises(ServiceError):
        client(service).computer(id="c").click(1, 2)


def test_does_not_repeat_more_often_or_later_than_asked(service: ScriptedService) -> None:
    service.answers = [BUSY]
    for retries, expected in [(0, 1), (1, 2)]:
        service.received.clear()
        with pytest.raises(ServiceError):
            client(service).with_options(max_retries=retries).me()
        assert len(service.received) == expected
    service.received.clear()
    service.answers = [Answer(429, b'{"error": "busy"}', {"Retry-After": "61"})]
    with pytest.raises(ServiceError):
        client(service).me()
    service.answers = [Answer(429, b'{"error": "busy"}', {"Retry-After": "2"})]
    with pytest.raises(ServiceError):
        client(service, request_timeout=1).me()
    service.answers = [BUSY]
    with pytest.raises(ServiceError):
        client(service).computer(id="c").files.write("a", iter([b"once"]))
    assert len(service.received) == 3


def test_ends_at_the_time_limit(service: ScriptedService) -> None:
    service.answers = [Answer(delay=30)]
    with pytest.raises(ServiceTimeoutError), client(service) as vc:
        vc.computer(id="c").with_options(request_timeout=0.1).bash("sleep 30")
    with pytest.raises(TimeoutError):
        asyncio.run(bash_late(service))
    with pytest.raises(ValueError):
        client(service, request_timeout=0)


async def bash_late(service: ScriptedService) -> None:
    async with AsyncVirtualComputers(service.base_url, "k", request_timeout=0.1) as vc:
        await vc.computer(id="c").bash("sleep 30")


def test_says_when_nothing_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(ServiceUnreachableError, match="nothing listens there"):
        VirtualComputers(f"http://127.0.0.1:{port}", "k", max_retries=0).me()
    with pytest.raises(ServiceUnreachableError, match="nothing listens there"):
        VirtualComputers(f"http://127.0.0.1:{port}", "k").computer(id="c").run("true")


def computer(**fields: Any) -> Answer:
    return Answer(body=json.dumps({**COMPUTER, **fields}).encode())


def test_waits_until_a_computer_can_be_used(service: ScriptedService) -> None:
    service.answers = [computer(status="starting"), computer(status="starting"), computer()]
    desk = client(service).computers.create("prj", "desk", resolution=(800, 600), cpu=2)
    assert desk.info is not None and desk.info.status == "running"
    first, second, third = service.received
    assert first.path == "/api/projects/prj/computers?wait=1"
    assert json.loads(first.body) == {"name": "desk", "resolution": "800x600", "cpu": 2}
    assert second.path == third.path == "/api/computers/cmp_1"


def test_raises_if_a_computer_does_not_start(service: ScriptedService) -> None:
    service.answers = [computer(status="error", status_reason="no memory")]
    with pytest.raises(ComputerStartError, match='"desk" did not start.*no memory') as raised:
        client(service).computers.create("prj", "desk")
    assert raised.value.computer.id == "cmp_1"
    service.answers = [computer(status="starting")]
    with pytest.raises(ServiceTimeoutError):
        client(service, request_timeout=0.4).computers.create("prj", "desk")
    assert client(service).computers.create("prj", "desk", wait=False).name == "desk"


def test_deletes_its_own_computer_at_the_end_of_a_block(service: ScriptedService) -> None:
    service.answers = [computer(), Answer(404, b'{"error": "gone"}')]
    with pytest.raises(KeyError), client(service).computers.create("prj", "desk"):
        raise KeyError
    assert [request.method for request in service.received] == ["POST", "DELETE"]
    service.received.clear()
    service.answers = [computer()]
    with client(service).computers.get(id="cmp_1") as desk:
        assert desk.id == "cmp_1"
    assert [request.method for request in service.received] == ["GET"]


def test_events_continue_after_a_lost_connection(service: ScriptedService) -> None:
    gone = Answer(401, b'{"error": "revoked"}', {"x-error-code": "unauthorized"})
    first = b': hello\nid: 1\n\nid: 2\nevent: action\ndata: {"type":\ndata: "\xc3\xbc"}\n\nid: 9\ndata: {'
    answers = [Answer(body=first), DOWN, Answer(body=b'id: 3\ndata: {"type": "b"}\n\n'), gone]

    async def received() -> list[str]:
        seen = []
        async with AsyncVirtualComputers(service.base_url, "k") as vc:
            with pytest.raises(ServiceError, match="revoked"):
                async for event in vc.events(project="a b", types=["action", "job.exited"]):
                    seen.append(event["type"])
        return seen

    def received_without_await() -> list[str]:
        seen = []
        with pytest.raises(ServiceError, match="revoked"):
            for event in client(service).events(project="a b", types=["action", "job.exited"]):
                seen.append(event["type"])
        return seen

    def received_with_await() -> list[str]:
        return asyncio.run(received())

    for run in (received_without_await, received_with_await):
        service.answers = list(answers)
        service.received.clear()
        assert run() == ["ü", "b"]
        assert {one.path for one in service.received} == {
            "/api/events?project=a+b&types=action%2Cjob.exited"
        }
        positions = [one.headers.get("last-event-id") for one in service.received]
        assert positions == [None, "2", "2", "3"]


def test_events_need_a_service_at_first(service: ScriptedService) -> None:
    service.answers = [DOWN]
    with pytest.raises(ServiceError):
        next(iter(client(service).events()))
    assert len(service.received) == 1


def test_ignores_proxies_of_the_environment(
    service: ScriptedService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    service.answers = [Answer(body=b'{"keys": []}')]
    assert client(service).keys.list() == []


@pytest.mark.skipif(not os.path.exists("/proc/net/tcp"), reason="Linux only")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_sends_nothing_to_the_port_of_another_user(
    service: ScriptedService, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    from virtual_computers import _listener

    stranger = 12345
    rows = _listener._rows
    monkeypatch.setattr(
        _listener, "_rows", lambda table: (row._replace(uid=stranger) for row in rows(table))
    )
    base_url = f"http://{host}:{service.port}/api"
    with pytest.raises(UntrustedListenerError, match="uid 12345") as raised:
        VirtualComputers(base_url, "k").me()
    assert raised.value.uid == stranger
    with pytest.raises(UntrustedListenerError):
        asyncio.run(me(base_url))
    with pytest.raises(UntrustedListenerError):
        VirtualComputers(base_url, "k").computer(id="c").run("true")
    monkeypatch.setattr(_listener, "_rows", lambda table: iter(()))
    with pytest.raises(UntrustedListenerError, match="an unknown user"):
        VirtualComputers(base_url, "k").me()
    assert service.received == []
    service.answers = [Answer(body=b'{"keys": []}')]
    assert VirtualComputers(base_url, "k", listener_uid="any").keys.list() == []
    monkeypatch.setattr(_listener, "_rows", rows)
    assert VirtualComputers(base_url, "k").keys.list() == []


async def me(base_url: str) -> None:
    async with AsyncVirtualComputers(base_url, "k") as vc:
        await vc.me()


def test_refuses_to_work_if_connections_cannot_be_checked() -> None:
    from virtual_computers import _listener

    with pytest.raises(RuntimeError, match="this version of httpx"):
        _listener._require_pool(object(), dict)


def test_reads_addresses_as_the_kernel_writes_them() -> None:
    from virtual_computers._listener import _hex, _read

    ends = [("127.0.0.1", 4700), ("192.0.2.7", 80)]
    assert [_hex(end, "tcp") for end in ends] == ["0100007F:125C", "070200C0:0050"]
    assert _hex(("::1", 80), "tcp6") == "00000000000000000000000001000000:0050"
    assert _hex(("127.0.0.1", 80), "tcp6") == "0000000000000000FFFF00000100007F:0050"
    assert _read("0100007F") == "127.0.0.1"
    assert _read("0000000000000000FFFF00000100007F") == "127.0.0.1"
    assert _read("00000000000000000000000000000000") == "::"
