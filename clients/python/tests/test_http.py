"""Requests, retries, errors and time limits, against scripted answers."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
import socket
import threading
from typing import Any

import pytest

from conftest import COMPUTER, Answer, ScriptedService
from virtual_computers import (
    AsyncVirtualComputers,
    ComputerStartError,
    ServiceError,
    ServiceTimeoutError,
    ServiceUnreachableError,
    VirtualComputers,
    VirtualComputersError,
)

BUSY = Answer(429, b'{"error": "busy"}', {"Retry-After": "0", "x-error-code": "rate_limited"})
LOST = Answer(0)
DOWN = Answer(503, b'{"error": "no engine"}', {"retry-after": "0"})


CLEAN = {
    **{"name": "clean", "parent": None, "created_at": "", "bytes": 5},
    **{"memory": False, "current": True},
}
READY = {
    **{"name": "ready", "engine": "docker", "os": "linux", "kind": "saved", "status": "ready"},
    **{"bytes": 5, "created_at": "", "resolution": None, "used_by": 1},
}


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


def test_labels_expiry_and_selection(service: ScriptedService) -> None:
    labelled = json.dumps({**COMPUTER, "labels": {"team": "qa"}, "on_idle": "delete"}).encode()
    bodies = [labelled, labelled, b'{"computers": []}']
    service.answers = [Answer(body=body) for body in bodies]
    vc = VirtualComputers(service.base_url, "k")
    settings = {"on_idle": "delete", "expires_in": 600, "labels": {"team": "qa"}}
    desk = vc.computers.create("lab", "desk", auto_stop_minutes=5, **settings)  # type: ignore
    assert desk.info is not None and desk.info.labels == {"team": "qa"}
    desk.update(labels={"team": None}, expires_at="never")
    assert vc.computers.list("lab", labels={"team": "qa", "stage": None}) == []
    created, updated, listed = service.received
    assert json.loads(created.body) == {"name": "desk", "auto_stop_minutes": 5, **settings}
    assert json.loads(updated.body) == {"labels": {"team": None}, "expires_at": None}
    assert listed.path.endswith("/projects/lab/computers?label=team%3Dqa&label=stage")


def test_reads_a_part_of_a_file(service: ScriptedService) -> None:
    beyond = Answer(416, b'{"error": "ends"}', {"x-error-code": "range_not_satisfiable"})
    part = Answer(206, b"lo wo", {"content-range": "bytes 3-7/11"})
    service.answers = [part, Answer(body=b"hello world"), Answer(body=b"hello"), beyond]
    files = client(service).computer(id="c").files
    assert files.read("f", start=3, end=8) == b"lo wo"
    # A file without a size is answered whole.
    assert files.read("/proc/f", start=3, end=8) == b"lo wo"
    assert files.read("f") == b"hello"
    assert files.read("f", start=99) == b""
    assert files.read("f", start=4, end=4) == b""
    ranges = [request.headers.get("range") for request in service.received]
    assert ranges == ["bytes=3-7", "bytes=3-7", None, "bytes=99-"]
    with pytest.raises(ValueError, match="negative"):
        files.read("f", start=-1)


def test_reads_the_audit_log_and_steps_of_a_trajectory(service: ScriptedService) -> None:
    steps = {"trajectory": None, "steps": [{"step": 1}], "next_offset": 9}
    bodies = [b'{"entries": [{"id": 7}]}', json.dumps(steps).encode(), b"PNG"]
    bodies += [b'{"computers": [{"id": "c", "status": "running"}]}', b'{"computers": []}']
    service.answers = [Answer(body=body) for body in bodies]
    vc = client(service)
    desk = vc.computer(id="c")
    assert vc.audit(limit=1, before=9, computer="c") == [{"id": 7}]
    assert desk.trajectory_steps(offset=5)["next_offset"] == 9
    assert desk.trajectory_picture("pictures/0001.png") == b"PNG"
    assert vc.projects.start("lab") == [{"id": "c", "status": "running"}]
    assert vc.computers.list("lab", status=["running", "stopped"]) == []
    paths = [request.path.removeprefix("/api") for request in service.received]
    assert paths == [
        "/audit?limit=1&before=9&computer=c",
        "/computers/c/trajectory/steps?offset=5",
        "/computers/c/trajectory/pictures/0001.png",
        "/projects/lab/start",
        "/projects/lab/computers?status=running&status=stopped",
    ]


@pytest.mark.parametrize("status", [200, 404])
def test_takes_no_other_server_for_the_service(service: ScriptedService, status: int) -> None:
    service.answers = [Answer(status, b'{"error": "Not found", "id": "x"}', {"x-api-version": None})]
    with pytest.raises(ServiceUnreachableError, match="is the base URL right") as raised:
        client(service).me()
    assert raised.value.status == status


def test_raises_the_error_of_the_service(service: ScriptedService) -> None:
    headers = {"x-error-code": "off_screen", "x-error-remedy": "Gr%C3%B6%C3%9Fe: see 100%25"}
    headers |= {"x-request-id": "req-1", "Retry-After": "7"}
    service.answers = [Answer(400, '{"error": "x is 9999"}'.encode(), headers)]
    with pytest.raises(ServiceError) as raised:
        client(service).computer(id="c").click(9999, 1)
    error = raised.value
    assert (error.code, error.status, error.message) == ("off_screen", 400, "x is 9999")
    question = VirtualComputersError('did you mean "pageup"?', remedy="See the keys")
    assert str(question) == 'did you mean "pageup"? See the keys'
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


@pytest.mark.parametrize(
    ("status", "limit"), [(200, "MOST_BYTES"), (400, "MOST_ERROR_BYTES")]
)
def test_reads_no_answer_without_end(
    service: ScriptedService, monkeypatch: pytest.MonkeyPatch, status: int, limit: str
) -> None:
    monkeypatch.setattr(f"virtual_computers._driver.{limit}", 64 * 1024)
    service.answers = [Answer(status, b'{"error": "' + b"x" * 65_536 + b'"}')]
    with pytest.raises(ServiceUnreachableError, match="larger than 64 KiB") as raised:
        client(service).me()
    assert raised.value.status == status


def test_repeats_what_was_not_carried_out(service: ScriptedService) -> None:
    service.answers = [BUSY, BUSY, Answer()]
    client(service).computer(id="c").click(1, 2)
    assert len(service.received) == 3
    service.answers = [DOWN, Answer(200, b'{"keys": []}')]
    assert client(service).keys.list() == []
    service.answers = [DOWN, Answer()]
    with pytest.raises(ServiceError):
        client(service).computer(id="c").click(1, 2)


@pytest.mark.parametrize("failure", [DOWN, Answer(502, b"<html>", {"retry-after": "0"}), LOST])
def test_repeats_creations_with_their_key(service: ScriptedService, failure: Answer) -> None:
    fields = {"id": "prj_1", "name": "lab", "created_at": "", "updated_at": "", "computer_count": 0}
    project = Answer(body=json.dumps(fields).encode())
    vc = client(service)
    creations = [
        (lambda: vc.projects.create("lab"), project),
        (lambda: vc.computers.create("lab", "desk"), computer()),
        (lambda: vc.computer("lab", "desk").fork("copy"), computer()),
        (lambda: vc.computer(id="c").fork("copy"), computer()),
        (lambda: vc.computer("lab", "desk").snapshots.create(), Answer(body=json.dumps(CLEAN).encode())),
        (lambda: vc.images.save("x", vc.computer(id="c")), Answer(body=json.dumps(READY).encode())),
        (lambda: vc.request("POST", "/computers?wait=0", {"project": "lab"}), computer()),
    ]
    keys = set()
    for create, answer in creations:
        service.received.clear()
        service.answers = [failure, answer]
        create()
        first, second = service.received
        assert (first.method, first.path, first.body) == (second.method, second.path, second.body)
        assert first.headers["idempotency-key"] == second.headers["idempotency-key"]
        keys.add(first.headers["idempotency-key"])
    assert len(keys) == len(creations)


def test_repeats_a_get_after_a_lost_connection_and_nothing_else(service: ScriptedService) -> None:
    service.answers = [LOST, Answer(200, b'{"keys": []}')]
    assert client(service).keys.list() == []
    service.received.clear()
    for send in (lambda: desk.start(), lambda: desk.click(1, 2), lambda: desk.delete()):
        desk = client(service).computer(id="c")
        service.answers = [LOST, computer()]
        with pytest.raises(ServiceUnreachableError, match="closed"):
            send()
    service.answers = [DOWN, computer()]
    with pytest.raises(ServiceError):
        client(service, max_retries=0).computers.create("lab", "desk")
    assert len(service.received) == 4
    assert all("idempotency-key" not in one.headers for one in service.received)


def test_knows_what_names_a_computer(service: ScriptedService) -> None:
    vc = client(service)
    assert vc.computer(id="cmp_1").id == "cmp_1"
    assert vc.computer("lab", "desk").name == "desk"
    other = AsyncVirtualComputers(service.base_url, "k")
    assert (other.computer(id="c").id, other.computer("lab", "desk").name) == ("c", "desk")
    for unknown in (lambda: vc.computer(id="c").name, lambda: vc.computer("lab", "desk").id):
        with pytest.raises(VirtualComputersError, match="has not been asked for"):
            unknown()
    assert service.received == []
    service.answers = [computer(name="renamed")]
    desk = vc.computer("lab", "desk")
    desk.get()
    assert (desk.id, desk.name) == ("cmp_1", "renamed")


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
    for send in (lambda: vc.me(), lambda: vc.computer(id="c").run("true")):
        vc = VirtualComputers(f"http://127.0.0.1:{port}", "k", max_retries=0)
        with pytest.raises(ServiceUnreachableError, match="nothing listens there") as raised:
            send()
        assert "vc serve --detach" in (raised.value.remedy or "")


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


BEGIN = Answer(body=b"id: 0\n\n")


def numbers(*ids: int) -> Answer:
    return Answer(body=b"".join(b'id: %d\ndata: {"n": %d}\n\n' % (id, id) for id in ids))


def test_open_tells_that_the_stream_is_ready(service: ScriptedService) -> None:
    gone = Answer(401, b'{"error": "revoked"}', {"x-error-code": "unauthorized"})

    def received() -> list[int]:
        events = client(service).events()
        assert events.open().open() is events and events.last_event_id == "0"
        assert len(service.received) == 1
        seen = []
        with pytest.raises(ServiceError, match="revoked"):
            for event in events:
                seen.append(event["n"])
        return seen

    async def received_with_await() -> list[int]:
        async with AsyncVirtualComputers(service.base_url, "k") as vc:
            events = vc.events()
            assert await (await events.open()).open() is events and events.last_event_id == "0"
            assert len(service.received) == 1
            seen = []
            with pytest.raises(ServiceError, match="revoked"):
                async for event in events:
                    seen.append(event["n"])
            return seen

    for run in (received, lambda: asyncio.run(received_with_await())):
        service.answers = [BEGIN, numbers(1, 2), gone]
        service.received.clear()
        assert run() == [1, 2]
        positions = [one.headers.get("last-event-id") for one in service.received]
        assert positions == [None, "0", "2"]


def test_open_within_a_loop_repeats_nothing(service: ScriptedService) -> None:
    service.answers = [numbers(1, 2), numbers(2, 3), numbers(3)]
    events = client(service).events()
    seen = []
    for event in events:
        seen.append(event["n"])
        if event["n"] == 1:
            events.open()
        if event["n"] == 3:
            break
    positions = [one.headers.get("last-event-id") for one in service.received]
    assert (seen, positions) == ([1, 2, 3], [None, "1", "2"])


def test_open_fails_where_the_loop_would(service: ScriptedService) -> None:
    # It is lost before it has said from where another one could continue.
    service.answers = [Answer(body=b": hello\n\n"), DOWN]
    with pytest.raises(ServiceUnreachableError, match="lost"):
        client(service).events().open()
    with pytest.raises(ServiceError):
        client(service).events().open()
    with pytest.raises(ServiceError), client(service).events():
        pass

    async def enter() -> None:
        async with AsyncVirtualComputers(service.base_url, "k") as vc:
            with pytest.raises(ServiceError):
                await vc.events().open()

    asyncio.run(enter())
    assert len(service.received) == 4


def test_ignores_proxies_of_the_environment(
    service: ScriptedService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    service.answers = [Answer(body=b'{"keys": []}')]
    assert client(service).keys.list() == []


def test_takes_a_message_that_comes_with_the_handshake() -> None:
    message = b'{"type": "open"}'

    def serve(server: socket.socket) -> None:
        connection, _ = server.accept()
        with connection:
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.recv(65536)
            key = re.search(rb"(?i)sec-websocket-key: (\S+)", head)
            assert key is not None
            digest = hashlib.sha1(key[1] + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
            lines = [
                b"HTTP/1.1 101 Switching Protocols",
                b"Upgrade: websocket",
                b"Connection: Upgrade",
                b"Sec-WebSocket-Accept: " + base64.b64encode(digest),
            ]
            frame = bytes([0x81, len(message)]) + message
            connection.sendall(b"\r\n".join([*lines, b"", b""]) + frame)
            connection.settimeout(10)
            while connection.recv(65536):
                pass

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve, args=(server,), daemon=True)
        thread.start()
        base_url = f"http://127.0.0.1:{server.getsockname()[1]}/api"
        VirtualComputers(base_url, "k").computer(id="c").connect(80).close()
        thread.join(10)


@pytest.mark.skipif(not hasattr(asyncio, "timeout"), reason="Python 3.11 and later")
def test_leaves_no_cancellation_on_the_task(service: ScriptedService) -> None:
    async def work() -> int:
        async with AsyncVirtualComputers(service.base_url, "k") as vc:
            await vc.request("GET", "/me")
            task = asyncio.current_task()
            return task.cancelling() if task else -1

    assert asyncio.run(work()) == 0


def test_waits_for_a_service_of_this_machine_that_restarts() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    restarted: list[ScriptedService] = []

    def restart() -> None:
        restarted.append(ScriptedService(port))

    timer = threading.Timer(1.5, restart)
    timer.start()
    try:
        vc = VirtualComputers(f"http://127.0.0.1:{port}/api", "k", max_retries=1)
        assert vc.request("GET", "/me") == {}
    finally:
        timer.join()
        restarted[0].close()


def test_tells_the_progress_of_transfers(service: ScriptedService, tmp_path: Any) -> None:
    content = b"x" * 600_000
    source, target = tmp_path / "from", tmp_path / "to"
    source.write_bytes(content)
    files = client(service).computer(id="c").files
    sent: list[int] = []
    service.answers = [Answer(body=b'{"path": "/x", "size": 600000}')]
    files.upload(source, "x", on_progress=sent.append)
    received: list[int] = []
    service.answers = [Answer(body=content)]
    files.download("x", target, on_progress=received.append)
    for told in (sent, received):
        assert len(told) > 1 and told == sorted(told) and told[-1] == len(content)
    assert target.read_bytes() == content


def test_opens_the_browser_at_the_base_url(service: ScriptedService) -> None:
    ws_url = "ws://10.0.0.1/api/computers/c/cdp?ticket=t"
    service.answers = [Answer(body=json.dumps({"ws_url": ws_url}).encode())]
    address = client(service).computer(id="c").browser(profile="temporary", args=["--lang=de"])
    assert address == f"ws://127.0.0.1:{service.port}/api/computers/c/cdp?ticket=t"
    assert json.loads(service.received[0].body) == {"profile": "temporary", "args": ["--lang=de"]}


def test_streams_the_screen(service: ScriptedService) -> None:
    desk = client(service).computer(id="c")
    service.answers = [Answer(body=b'{"status": "streaming"}')]
    assert desk.start_stream("studio", fps=15, audio=True)["status"] == "streaming"
    assert desk.stream_status()["status"] == "streaming"
    desk.stop_stream()
    paths = [received.path for received in service.received]
    assert paths == [f"/api/computers/c/stream/{what}" for what in ("start", "status", "stop")]
    assert json.loads(service.received[0].body) == {
        "connection_name": "studio",
        "fps": 15,
        "audio": True,
    }


def test_lists_the_computers_of_all_projects(service: ScriptedService) -> None:
    pages = [([COMPUTER], "next"), ([{**COMPUTER, "id": "other"}], None)]
    service.answers = [
        Answer(body=json.dumps({"computers": computers, "next_cursor": cursor}).encode())
        for computers, cursor in pages
    ]
    listed = client(service).computers.list_all(labels={"team": None})
    assert [computer.id for computer in listed] == [COMPUTER["id"], "other"]
    assert "cursor=next" in service.received[1].path and "label=team" in service.received[1].path
