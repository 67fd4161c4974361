"""Everything that is done with a computer, on a real service."""

from __future__ import annotations

import asyncio
import hashlib
import re
import tarfile
import threading
import time
from pathlib import Path
from typing import Any, AsyncIterator, Iterator

import pytest

from virtual_computers import (
    AsyncVirtualComputers,
    CommandError,
    Computer,
    ServiceError,
    VirtualComputers,
)

MEGABYTE = b"0123456789abcdef" * 65536


@pytest.fixture()
def home(desk: Computer) -> Iterator[str]:
    """A directory for one test."""
    path = f"py-{time.monotonic_ns()}"
    desk.files.make_directory(f"{path}/in", recursive=True)
    yield path
    desk.files.remove(path, recursive=True)


def test_finds_projects_computers_and_itself(vc: VirtualComputers, desk: Computer) -> None:
    info = desk.get()
    assert (info.status, info.os, info.resolution.width) == ("running", "linux", 1280)
    assert vc.computers.get(info.project_name, info.name).id == desk.id
    assert info.id in [one.id for one in vc.computers.list(info.project_name)]
    assert info.id in [one.id for one in vc.projects.get(info.project_name).computers]
    assert vc.me().running >= 1
    assert vc.health()["status"] in ("ok", "degraded")
    days = vc.usage(days=1)["days"]
    assert days and days[0]["actions"] >= 0
    taken = desk.take_control()
    assert taken.is_mine and taken.control is not None
    assert desk.get().control == taken.control
    desk.release_control()
    assert (desk.control().control, desk.control().is_mine) == (None, False)
    assert desk.stats().memory_used_bytes > 0
    assert desk.stats_history()["cpu"] == desk.stats().cpu
    assert "samples" in desk.stats_history()
    assert vc.stats_history(since="2030-01-01T00:00:00Z") == []
    assert desk.network() == {"network": "internet", "refused": []}
    assert re.match(r"http://127\.0\.0\.1:\d+/api/view/", desk.view("view").url)
    assert vc.request("GET", "/images")["images"]


def test_builds_an_image(vc: VirtualComputers, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("kept", "sub/left-out"):
        (tmp_path / name).write_text("text")
    (tmp_path / ".dockerignore").write_text("**/left-out\n")
    check = '[ "$(cat /run/secrets/token)" = "$WORD" ] && cat /context/kept && ls -A /context/sub'
    lines = ["FROM linux", "ARG WORD", "COPY . /context", f"RUN --mount=type=secret,id=token {check}"]
    (tmp_path / "Other.dockerfile").write_text("\n".join(lines))
    events: list[dict[str, Any]] = []
    name = f"py-{time.monotonic_ns()}"
    image = vc.images.build(
        tmp_path,
        name,
        dockerfile="Other.dockerfile",
        args={"WORD": "word-4711"},
        secrets={"token": "word-4711"},
        no_cache=True,
        on_event=events.append,
    )
    try:
        assert (image.name, image.kind) == (name, "saved")
        assert [one["text"] for one in events if one["type"] == "output"] == ["text"]
        assert "RUN --mount=type=secret" in vc.images.log(name)
    finally:
        vc.images.delete(name)
    (tmp_path / "Dockerfile").write_text("FROM linux\nRUN exit 3\n")
    with pytest.raises(ServiceError, match="Dockerfile:2: RUN exit 3"):
        vc.images.build(tmp_path, name)


def test_creates_a_computer_for_a_block(vc: VirtualComputers) -> None:
    project = vc.projects.create(f"py-{time.monotonic_ns()}").name
    try:
        with vc.computers.create(project, "desk", resolution=(800, 600)) as desk:
            assert desk.info is not None and desk.info.status == "running"
            created_by = desk.info.created_by
            assert created_by is not None
            assert created_by.id in [key.id for key in vc.keys.list()]
            project = vc.projects.rename(project, f"{project}-renamed").name
            assert vc.computers.get(project, "desk").id == desk.id
            assert desk.update(name="Tisch", protected=True).protected
            assert desk.name == "Tisch"
            with pytest.raises(ServiceError) as raised:
                desk.delete()
            assert (raised.value.code, raised.value.status) == ("conflict", 400)
            assert desk.update(protected=False, auto_stop_minutes=9).auto_stop_minutes == 9
            assert desk.update(auto_stop_minutes="never").auto_stop_minutes is None
            desk.stop()
            with pytest.raises(ServiceError, match="vc .*start") as raised:
                desk.click(1, 1)
            assert raised.value.code == "not_running"
            assert desk.start().status == "running"
        assert vc.computers.list(project) == []
    finally:
        vc.projects.delete(project)
    assert project not in [one.name for one in vc.projects.list()]


def test_keys_and_owners(vc: VirtualComputers) -> None:
    name = f"py-{time.monotonic_ns()}"
    key = vc.keys.create(name)
    assert key.key
    with VirtualComputers(vc.base_url, key.key) as other:
        assert other.me().user_id == vc.me().user_id
        assert key.id in [one.id for one in other.keys.list()]
        vc.keys.delete(key.id)
        with pytest.raises(ServiceError) as raised:
            other.me()
    assert (raised.value.code, raised.value.status) == ("unauthorized", 401)
    owner = vc.owners.create(name, max_running=1)
    try:
        assert owner.key is not None and owner.key.key is not None
        with VirtualComputers(vc.base_url, owner.key.key) as other:
            assert other.projects.list() == []
        assert vc.owners.update(name, max_running=None).max_running is None
        assert name in [one.name for one in vc.owners.list()]
        assert vc.owners.create_key(name, "second").key
        assert vc.owners.get(name).role == "member"
    finally:
        vc.owners.delete(name)


def test_types_secrets(vc: VirtualComputers, desk: Computer) -> None:
    project = desk.get().project_name
    name = f"PY_{time.monotonic_ns()}"
    vc.secrets.set(project, name, "value")
    assert name in [one.name for one in vc.secrets.list(project)]
    desk.type(f"{{{{secret:{name}}}}}", secrets=[name])
    with pytest.raises(ServiceError) as raised:
        desk.type(f"{{{{secret:{name}}}}}")
    assert raised.value.code == "invalid_request"
    vc.secrets.delete(project, name)
    assert name not in [one.name for one in vc.secrets.list(project)]


def test_elements(desk: Computer) -> None:
    listed = desk.elements(limit=1)
    assert (len(listed.elements), listed.truncated) == (1, True)
    [button] = desk.find("mousepad", role="button", name="Mousepad").elements
    x, y, width, height = button.box
    assert desk.click_element(button, button="middle", settle=True).settled is not None
    assert desk.cursor() == (x + width // 2, y + height // 2)
    assert desk.find(name="no such name").elements == []


def test_marks(desk: Computer, tmp_path: Path) -> None:
    taken = desk.marked_screenshot(tmp_path / "marks.png", scale=0.5, settle=True)
    assert (tmp_path / "marks.png").read_bytes() == taken.image
    assert taken.image.startswith(b"\x89PNG")
    [mark] = [one for one in taken.marks if one.name == "Mousepad"]
    x, y, width, height = mark.box
    desk.click_mark(mark.mark, taken.frame, button="middle")
    assert desk.cursor() == (x + width // 2, y + height // 2)
    with pytest.raises(ServiceError) as raised:
        desk.click_mark(1, "frm_000000000000")
    assert raised.value.code == "stale_frame"


def test_mouse_keyboard_and_screen(desk: Computer, tmp_path: Path) -> None:
    desk.click(5, 5)
    assert desk.click(640, 400, button="right", clicks=1, keys=["ctrl"], settle=True).settled
    desk.key("Escape")
    desk.move(10.4, 20)
    desk.drag((100, 100), (200, 200), path=[(150, 120)], duration=0.1)
    desk.scroll("down", 2, x=300, y=300)
    desk.scroll(delta_x=-100, delta_y=200, keys=["shift"])
    desk.mouse_down(100, 100, button="middle")
    desk.mouse_up(120, 110, button="middle")
    assert desk.cursor() == (120, 110)
    assert desk.computer_use_tools("openai") == [{"type": "computer"}]
    # A call whose id was carried out before is not carried out again.
    move = {"type": "tool_use", "name": "mouse_move", "toolset_name": "computer"}
    move["id"] = f"call-{time.monotonic_ns()}"
    answer = desk.computer_use([{**move, "input": {"coordinate": [70, 80]}}])
    assert (answer["success"], desk.cursor()) == (True, (70, 80))
    desk.key_down("shift")
    desk.key("Left", repeat=3)
    desk.key_up("shift")
    assert desk.type("", settle=(50, 1000)).settled is not None
    assert desk.screenshot(tmp_path / "screen.png")[:4] == b"\x89PNG"
    assert (tmp_path / "screen.png").stat().st_size > 1000
    assert desk.screenshot(format="jpeg", quality=50, scale=0.5, cursor=True)[:2] == b"\xff\xd8"
    assert desk.screenshot(region=(0, 0, 10, 10), settle=True)[:4] == b"\x89PNG"
    assert desk.wait(0.1).waited >= 0.1
    assert desk.wait(until="stable", timeout=5).waited <= 6
    with pytest.raises(ServiceError) as raised:
        desk.click(5000, 1)
    assert (raised.value.code, raised.value.status) == ("off_screen", 400)
    with pytest.raises(ServiceError) as raised:
        desk.key("Entre")
    assert raised.value.code == "unknown_key"
    assert {"click", "screenshot"} <= {one["action"] for one in desk.history(limit=50)}


def test_types_and_copies_any_text(desk: Computer, home: str) -> None:
    text = "Grüße, 世界 👍 $HOME 'x' \"y\""
    desk.set_clipboard(text)
    assert desk.clipboard() == text
    window = f"xterm -T {home} -e sh -c 'cat > {home}/typed' >/dev/null 2>&1 &"
    desk.bash(f"{window} xdotool search --sync --onlyvisible --name {home} windowfocus", check=True)
    desk.type(f"{text}\n")
    desk.key("ctrl+d")
    desk.bash(f"for i in $(seq 100); do [ -s {home}/typed ] && exit; sleep 0.1; done; exit 1", check=True)
    assert desk.files.read(f"{home}/typed").decode() == f"{text}\n"


def test_batches(desk: Computer) -> None:
    result = desk.batch([{"action": "move", "x": 1, "y": 2}, {"action": "bash", "command": "echo hi"}])
    assert result.success and result.results[1]["stdout"] == "hi\n"
    result = desk.batch([{"action": "click", "x": 9999, "y": 1}, {"action": "bash", "command": "true"}])
    assert not result.success
    assert [one.get("code") for one in result.results] == ["off_screen"]


def test_commands(desk: Computer) -> None:
    result = desk.bash("echo out; echo err >&2; exit 3")
    assert (result.exit_code, result.stdout, result.stderr) == (3, "out\n", "err\n")
    with pytest.raises(CommandError, match="exited with 3: two") as raised:
        desk.bash("echo one >&2; echo two >&2; exit 3", check=True)
    assert raised.value.result.exit_code == 3  # type: ignore[union-attr]
    env = {"NAME": "value"}
    assert desk.bash("pwd; echo $NAME", cwd="/tmp", env=env).stdout == "/tmp\nvalue\n"
    assert desk.bash("sleep 9", timeout=0.3).timed_out
    with pytest.raises(CommandError, match="did not end in time"):
        desk.bash("sleep 9", timeout=0.3, check=True)
    assert desk.python("print(6 * 7)", check=True).output == "42\n"
    failed = desk.python("1 / 0")
    assert (failed.success, failed.error_type) == (False, "ZeroDivisionError")
    with pytest.raises(CommandError, match="ZeroDivisionError"):
        desk.python("1 / 0", check=True)


def test_streams_output_while_a_command_runs(desk: Computer) -> None:
    arrived: list[tuple[str, float]] = []
    script = "printf 'gr\\303'; sleep 0.5; printf '\\274n\\n'; echo bad >&2; exit 4"
    result = desk.run(script, on_stdout=lambda text: arrived.append((text, time.monotonic())))
    assert (result.exit_code, result.stdout, result.stderr) == (4, "grün\n", "bad\n")
    assert "".join(text for text, _ in arrived) == "grün\n"
    assert arrived[-1][1] - arrived[0][1] > 0.3
    assert desk.run(["printf", "%s|", "a b", "$HOME"]).stdout == "a b|$HOME|"
    assert desk.run("cat; pwd; echo $A", stdin="in\n", cwd="/tmp", env={"A": "b"}).stdout == "in\n/tmp\nb\n"
    assert desk.run("sleep 9", timeout=0.3).timed_out
    with pytest.raises(CommandError, match="exited with 4"):
        desk.run("exit 4", check=True)
    assert desk.run(["/nonexistent/program"]).exit_code == 127


def test_carries_much_output_and_input(desk: Computer) -> None:
    data = 20 * MEGABYTE
    result = desk.run("tee /dev/stderr | wc -c", stdin=data)
    assert result.stdout.strip() == str(len(data))
    assert (len(result.stderr), result.truncated) == (16 * len(MEGABYTE), True)


def test_a_failing_callback_ends_the_command(desk: Computer, home: str) -> None:
    def fail(text: str) -> None:
        raise KeyError(text)

    with pytest.raises(KeyError):
        desk.run(f"echo $$ > {home}/pid; echo ready; sleep 1000", on_stdout=fail)
    gone = f"for i in $(seq 100); do kill -0 $(cat {home}/pid) || exit 0; sleep 0.05; done; exit 1"
    desk.bash(gone, check=True)


def test_processes(desk: Computer) -> None:
    with desk.process(["cat"]) as process:
        process.write("one\n")
        output = iter(process)
        assert next(output) == ("stdout", b"one\n")
        process.write(b"two\n")
        process.end_input()
        assert list(output) == [("stdout", b"two\n")]
        assert process.wait().code == 0
    with desk.process("echo ready; exec sleep 1000") as process:
        assert next(iter(process)) == ("stdout", b"ready\n")
        process.kill("KILL")
        end = process.wait()
        assert (end.code, end.signal) == (None, "SIGKILL")
    with desk.process(["stty", "size"], terminal=(100, 30)) as process:
        assert b"".join(data for _, data in process).strip() == b"30 100"
    unread = desk.process("head -c 40000000 /dev/zero")
    time.sleep(0.5)
    assert sum(len(data) for _, data in unread) == 40_000_000
    unread.close()
    unread.close()


def test_another_thread_can_read(desk: Computer) -> None:
    read: list[bytes] = []
    with desk.process(["cat"]) as process:
        reader = threading.Thread(target=lambda: read.extend(data for _, data in process))
        reader.start()
        for _ in range(4):
            process.write(MEGABYTE)
        process.end_input()
        reader.join(60)
        assert process.wait().code == 0
    assert b"".join(read) == 4 * MEGABYTE


def test_jobs(desk: Computer) -> None:
    job = desk.jobs.start("for i in 1 2 3; do echo $i; sleep 0.2; done; exit 5", cwd="/tmp")
    assert "".join(desk.jobs.follow(job)) == "1\n2\n3\n"
    ended = desk.jobs.get(job, offset=2)
    assert (ended.status, ended.exit_code, ended.output) == ("exited", 5, "2\n3\n")
    endless = desk.jobs.start("sleep 1000")
    assert endless in [one.id for one in desk.jobs.list() if one.status == "running"]
    assert desk.jobs.end(endless).status == "exited"


def test_events(vc: VirtualComputers, desk: Computer) -> None:
    with vc.events(computer=desk.id, types=["action"]) as events:
        desk.move(1, 1)
        desk.key("Escape")
        seen: list[str] = []
        for event in events:
            seen.append(event["action"])
            if event["action"] == "key":
                break
    # The audit entry of an earlier test may be written late.
    assert seen[-2:] == ["move", "key"]


def test_events_with_await(vc: VirtualComputers, desk: Computer) -> None:
    settings = vc._target.settings

    async def watch() -> list[str]:
        async with AsyncVirtualComputers(settings.base_url, settings.api_key) as service:
            events = await service.events(computer=desk.id, types=["action"]).open()
            await service.computer(id=desk.id).key_down("shift")
            await service.computer(id=desk.id).key_up("shift")
            seen: list[str] = []
            async for event in events:
                seen.append(event["action"])
                if event["action"] == "keyUp":
                    break
            return seen

    assert asyncio.run(watch())[-2:] == ["keyDown", "keyUp"]


def test_files(desk: Computer, home: str, tmp_path: Path) -> None:
    files = desk.files
    written = files.write(f"{home}/ü b", "text ü", mode=0o600)
    assert (written.size, written.path) == (7, f"/home/user/{home}/ü b")
    assert files.read(f"{home}/ü b") == "text ü".encode()
    entry = files.entry(f"{home}/ü b")
    assert (entry.type, entry.mode, entry.size) == ("file", "0600", 7)
    files.write(f"{home}/pieces", (MEGABYTE for _ in range(3)), size=3 * len(MEGABYTE))
    assert files.read(f"{home}/pieces") == 3 * MEGABYTE
    for wrong in (1, 9):
        with pytest.raises(ValueError):
            files.write(f"{home}/wrong", iter([b"12", b"345"]), size=wrong)
        with pytest.raises(ValueError):
            files.write(f"{home}/wrong", b"12345", size=wrong)
    assert not files.exists(f"{home}/wrong")

    def broken() -> Iterator[bytes]:
        yield b"1"
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        files.write(f"{home}/wrong", broken())
    files.rename(f"{home}/pieces", f"{home}/in/new")
    files.make_link(f"{home}/link", "in/new")
    assert {one.name: one.type for one in files.list(home)} == {"ü b": "file", "in": "directory", "link": "link"}
    with pytest.raises(ServiceError):
        files.remove(f"{home}/in")
    files.remove(f"{home}/in", recursive=True)
    assert not files.exists(f"{home}/in/new")
    source = tmp_path / "script"
    source.write_bytes(8 * MEGABYTE)
    source.chmod(0o750)
    files.upload(source, f"{home}/script")
    assert files.entry(f"{home}/script").mode == "0750"
    files.download(f"{home}/script", tmp_path / "back")
    (tmp_path / "link").symlink_to("linked")
    files.download(f"{home}/script", tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "linked").is_file()
    assert hashlib.sha256((tmp_path / "back").read_bytes()).digest() == hashlib.sha256(8 * MEGABYTE).digest()
    assert (tmp_path / "back").stat().st_mode & 0o700 == 0o700
    for path in ("/nonexistent/file", f"{home}/none"):
        with pytest.raises(ServiceError) as raised:
            files.download(path, tmp_path / "no")
        assert raised.value.code == "not_found"
    with pytest.raises(FileNotFoundError):
        files.upload(tmp_path / "missing", "x")
    assert sorted(path.name for path in tmp_path.iterdir() if "config" not in path.name) == ["back", "link", "linked", "script"]


def test_says_why_an_upload_is_refused(desk: Computer, tmp_path: Path) -> None:
    with pytest.raises(ServiceError) as raised:
        desk.files.write("/nonexistent/directory/file", iter([MEGABYTE] * 20))
    assert raised.value.code == "not_found"


def test_everything_with_await(vc: VirtualComputers, desk: Computer, tmp_path: Path) -> None:
    settings = vc._target.settings

    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield MEGABYTE

    async def main() -> None:
        async with AsyncVirtualComputers(settings.base_url, settings.api_key) as vc:
            computer = await vc.computers.get(id=desk.id)
            name = f"py-{time.monotonic_ns()}"
            _, picture, result = await asyncio.gather(
                computer.click(5, 5), computer.screenshot(), computer.bash("echo hi", check=True)
            )
            assert picture[:4] == b"\x89PNG" and result.stdout == "hi\n"
            seen: list[str] = []
            run = await computer.run("cat; exit 3", stdin="x" * 100_000, on_stdout=seen.append)
            assert (run.exit_code, "".join(seen)) == (3, "x" * 100_000)
            assert (await computer.files.write(name, pieces())).size == 3 * len(MEGABYTE)
            (tmp_path / "up").write_bytes(MEGABYTE)
            await computer.files.upload(tmp_path / "up", name)
            await computer.files.download(name, tmp_path / "down")
            assert (tmp_path / "down").read_bytes() == MEGABYTE
            await computer.files.remove(name)
            job = await computer.jobs.start("echo one; sleep 0.2; echo two")
            assert "".join([text async for text in computer.jobs.follow(job)]) == "one\ntwo\n"
            async with await computer.process(["cat"]) as process:
                await process.write("hello")
                await process.end_input()
                assert [data async for _, data in process] == [b"hello"]
                assert (await process.wait()).code == 0
            started = asyncio.Event()
            long = asyncio.create_task(
                computer.run(f"echo $$ > {name}; echo; sleep 1000", on_stdout=lambda _: started.set())
            )
            await started.wait()
            long.cancel()
            with pytest.raises(asyncio.CancelledError):
                await long
            gone = f"for i in $(seq 100); do kill -0 $(cat {name}) || exit 0; sleep 0.05; done; exit 1"
            await computer.bash(gone, check=True)
            await computer.files.remove(name)
            with pytest.raises(ServiceError) as raised:
                await computer.click(5000, 1)
            assert raised.value.code == "off_screen"

    asyncio.run(main())


def test_records_the_screen(desk: Computer, tmp_path: Path) -> None:
    video = tmp_path / "clip.mp4"
    desk.record(video, duration=1, fps=15)
    assert video.read_bytes()[4:8] == b"ftyp"
    with pytest.raises(ServiceError):
        desk.record(tmp_path / "none.mp4", duration=-1)
    assert [one.name for one in tmp_path.iterdir()] == ["clip.mp4"]


def test_records_actions(desk: Computer, tmp_path: Path) -> None:
    assert desk.start_trajectory(max_seconds=60).status == "recording"
    desk.move(4, 4)
    assert desk.end_trajectory().steps == 1
    assert desk.trajectory().end_reason == "request"
    archive = tmp_path / "steps.tar"
    desk.save_trajectory(archive)
    with tarfile.open(archive) as files:
        assert "trajectory.jsonl" in files.getnames()
    desk.delete_trajectory()


def test_keeps_connections(vc: VirtualComputers) -> None:
    name = f"py-{time.monotonic_ns()}"
    made = vc.connections.create(name, "rtmp://live.example.com/app", stream_key="secret")
    assert (made.name, made.has_stream_key) == (name, True)
    assert name in [one.name for one in vc.connections.list()]
    vc.connections.delete(name)
    assert name not in [one.name for one in vc.connections.list()]


def test_the_same_with_await(vc: VirtualComputers, desk: Computer, tmp_path: Path) -> None:
    settings = vc._target.settings

    async def use() -> None:
        async with AsyncVirtualComputers(settings.base_url, settings.api_key) as other:
            own = await other.computers.get(id=desk.id)
            await own.record(tmp_path / "clip.mp4", duration=1)
            assert isinstance(await other.connections.list(), list)

    asyncio.run(use())
    assert (tmp_path / "clip.mp4").stat().st_size > 100


SERVER = """import socket
s = socket.create_server(('127.0.0.1', 8321))
while True:
    c, _ = s.accept()
    n = 0
    while data := c.recv(65536):
        n += len(data)
    c.sendall(b'got %d' % n)
    c.close()
"""


def test_connects_to_ports(vc: VirtualComputers, desk: Computer) -> None:
    with pytest.raises(ServiceError, match="port 9"):
        desk.connect(9)
    desk.files.write("server.py", SERVER)
    job = desk.jobs.start("exec python3 server.py")
    desk.bash("until ss -Htln | grep -q :8321; do sleep 0.05; done", check=True)
    with desk.connect(8321) as connection:
        connection.send(MEGABYTE)
        connection.send("more")
        connection.end()
        assert b"".join(connection) == b"got 1048580"
    settings = vc._target.settings

    async def use() -> bytes:
        async with AsyncVirtualComputers(settings.base_url, settings.api_key) as other:
            own = await other.computers.get(id=desk.id)
            async with await own.connect(8321) as connection:
                await connection.send(b"five!")
                await connection.end()
                return b"".join([piece async for piece in connection])

    assert asyncio.run(use()) == b"got 5"
    desk.jobs.end(job)
