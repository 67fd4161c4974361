"""Files and background commands of a computer; generators for both clients, see _requests.py."""

from __future__ import annotations

import errno
import json
import os
import secrets
import stat
from contextlib import contextmanager
from pathlib import Path
from typing import AsyncIterable, AsyncIterator, BinaryIO, Callable, Iterable, Iterator, Literal
from typing import Mapping, Union

from .actions import StrPath
from .computer import Target
from .._errors import ServiceError
from .._models import FileEntry, FileWritten, Job, parse
from .._requests import Content, Flow, Request, exchange, given, query, segment

PIECE = 256 * 1024
JOB_OUTPUT = 1024 * 1024

Data = Union[str, bytes, bytearray, Iterable[bytes], AsyncIterable[bytes]]


def read(
    of: Target, path: str, *, start: int | None = None, end: int | None = None
) -> Flow[bytes]:
    """
    A file in memory, or a part of it: `start` and `end` are those of a slice, `data[start:end]`. Paths
    begin in the home directory unless they begin with `/`.
    """
    first = start or 0
    if first < 0 or (end is not None and end < 0):
        raise ValueError("start and end must not be negative")
    if end is not None and end <= first:
        return b""
    is_part = first > 0 or end is not None
    headers = {"range": f"bytes={first}-{'' if end is None else end - 1}"} if is_part else {}
    pieces: list[bytes] = []
    try:
        answer = yield from _receive(of, path, pieces.append, headers)
    except ServiceError as error:
        if is_part and error.code == "range_not_satisfiable":
            return b""
        raise
    data = b"".join(pieces)
    # A file without a size, as in /proc, is always answered whole.
    return data[start:end] if is_part and "content-range" not in answer else data


def write(
    of: Target, path: str, data: Data, *, mode: int | None = None, size: int | None = None
) -> Flow[FileWritten]:
    """
    Writes a file; it appears complete or not at all. `data` may be an iterable of bytes. If it is
    not `size` bytes long, the file is not written.
    """
    if isinstance(data, (str, bytes, bytearray)):
        content: Content
        content = encoded = data.encode() if isinstance(data, str) else bytes(data)
        if size is not None:
            _check_size(len(encoded), size)
    elif size is None:
        content = data
    elif isinstance(data, AsyncIterable):
        content = _sized_async(data, size)
    else:
        content = sized(data, size)
    return (yield from _send(of, path, content, mode, size))


def upload(
    of: Target,
    source: StrPath,
    path: str,
    *,
    on_progress: Callable[[int], object] | None = None,
) -> Flow[FileWritten]:
    """
    Writes a regular file of this machine to the computer, with its permissions. `on_progress` is
    called with the bytes that were sent so far.
    """
    if os.path.exists(source) and not os.path.isfile(source):
        raise OSError(errno.EINVAL, "Not a regular file", os.fspath(source))
    with open(source, "rb") as file:
        status = os.fstat(file.fileno())
        pieces = sized(iter(lambda: file.read(PIECE), b""), status.st_size)
        if on_progress is not None:
            pieces = _with_progress(pieces, on_progress)
        return (yield from _send(of, path, pieces, status.st_mode & 0o777, status.st_size))


def _with_progress(pieces: Iterable[bytes], on_progress: Callable[[int], object]) -> Iterator[bytes]:
    sent = 0
    for piece in pieces:
        yield piece
        sent += len(piece)
        on_progress(sent)


def download(
    of: Target,
    path: str,
    target: StrPath,
    *,
    on_progress: Callable[[int], object] | None = None,
) -> Flow[None]:
    """
    Writes a file of the computer to this machine; it appears complete or not at all. A link is
    followed, and a device or pipe is written into. `on_progress` is called with the bytes that were
    received so far.
    """
    with _writing(target) as file:
        received = 0

        def take(piece: bytes) -> None:
            nonlocal received
            file.write(piece)
            received += len(piece)
            if on_progress is not None:
                on_progress(received)

        answer = yield from _receive(of, path, take)
        mode = answer.get("x-file-mode")
        status = os.fstat(file.fileno())
        if mode is not None and stat.S_ISREG(status.st_mode):
            # Who may read the new file may run it, too, if the mode says so.
            allowed = status.st_mode & 0o777
            os.fchmod(file.fileno(), int(mode, 8) & (allowed | (allowed & 0o444) >> 2))


def record(
    of: Target,
    target: StrPath,
    *,
    duration: float,
    fps: Literal[15, 30, 60] | None = None,
    audio: bool | None = None,
) -> Flow[None]:
    """
    Records the screen for `duration` seconds as an MP4 file of this machine, which appears complete or
    not at all. With `audio`, it has the sound of the computer.
    """
    params = query({"duration": duration, "fps": fps, "audio": audio})
    yield from _save(of, f"/record{params}", "video/mp4", target)


def save_trajectory(of: Target, target: StrPath) -> Flow[None]:
    """
    Writes the recorded actions as a tar archive of this machine, which appears complete or not at all.
    It has `trajectory.jsonl` and `pictures`.
    """
    yield from _save(of, "/trajectory", "application/x-tar", target)


def _save(of: Target, path: str, accept: str, target: StrPath) -> Flow[None]:
    with _writing(target) as file:
        headers = {"accept": accept}
        request = Request("GET", f"{of.path}{path}", headers, sink=file.write)
        yield from exchange(of.session, request)


@contextmanager
def _writing(target: StrPath) -> Iterator[BinaryIO]:
    """A file that replaces the one behind `target`; `target` itself if that is a device or pipe."""
    path = Path(os.path.realpath(target))
    if path.exists() and not path.is_file():
        with open(target, "wb") as file:
            yield file
        return
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            yield file
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def entry(of: Target, path: str) -> Flow[FileEntry]:
    """The file or directory that a path leads to."""
    return parse(FileEntry, (yield from of.ask("GET", "/entry", params={"path": path})))


def listing(of: Target, path: str = ".") -> Flow[list[FileEntry]]:
    """What is in a directory."""
    answer = yield from of.ask("GET", "/directory", params={"path": path})
    return [parse(FileEntry, one) for one in answer["entries"]]


def exists(of: Target, path: str) -> Flow[bool]:
    """Whether there is a file or directory at the path."""
    try:
        yield from entry(of, path)
    except ServiceError as error:
        if error.code != "not_found":
            raise
        # A missing computer is answered with the same code.
        yield from of.ask("GET", "")
        return False
    return True


def remove(of: Target, path: str, *, recursive: bool = False) -> Flow[None]:
    """Removes a file, a link or, with `recursive`, a directory and all that is in it."""
    yield from of.ask("DELETE", "/entry", params={"path": path, "recursive": recursive})


def rename(of: Target, path: str, new_path: str) -> Flow[None]:
    """Renames or moves a file, link or directory; a file with the new path is replaced."""
    yield from of.ask("POST", "/rename", {"path": path, "new_path": new_path})


def make_directory(
    of: Target, path: str, *, recursive: bool = False, mode: int | None = None
) -> Flow[None]:
    """Creates a directory unless it exists, with `recursive` also its parents."""
    body = given(path=path, recursive=recursive, mode=None if mode is None else f"{mode:o}")
    yield from of.ask("POST", "/directory", body)


def make_link(of: Target, path: str, target: str) -> Flow[None]:
    """Creates a symbolic link; replaces an existing one."""
    yield from of.ask("POST", "/link", {"path": path, "target": target})


def start_job(
    of: Target, command: str, *, cwd: str | None = None, env: Mapping[str, str] | None = None
) -> Flow[str]:
    """Starts a command line in the background, where it outlives this client; returns its id."""
    body = given(command=command, cwd=cwd, env=env and dict(env), background=True)
    return str((yield from of.ask("POST", "/bash", body))["job_id"])


def jobs(of: Target) -> Flow[list[Job]]:
    """The last background commands."""
    return [parse(Job, one) for one in (yield from of.ask("GET", "/jobs"))["jobs"]]


def job(of: Target, job: str, *, offset: int = 0, limit: int | None = None) -> Flow[Job]:
    """A job with its output from `offset` on; continue at `next_offset`."""
    params = {"offset": offset, "limit": limit}
    return parse(Job, (yield from of.ask("GET", f"/jobs/{segment(job)}", params=params)))


def end_job(of: Target, job: str) -> Flow[Job]:
    """Terminates its process group, and kills it if necessary."""
    return parse(Job, (yield from of.ask("POST", f"/jobs/{segment(job)}/end")))


def job_pause(seen: Job, offset: int, pause: float) -> float | None:
    """Seconds until a job is asked again, after `pause` last time; None when it has ended."""
    if seen.next_offset > offset and seen.output_bytes > seen.next_offset:
        return 0.0
    if seen.status == "exited":
        return None
    return 0.1 if seen.next_offset > offset else min(max(pause, 0.1) * 1.5, 1.0)


def _check_size(sent: int, size: int) -> None:
    if sent != size:
        raise ValueError(f"the data has {sent} bytes or more, not {size}")


def sized(pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
    """The pieces; raises ValueError if they do not have `size` bytes, before the last are sent."""
    sent = 0
    for piece in pieces:
        sent += len(piece)
        if sent > size:
            break
        yield piece
    _check_size(sent, size)


async def _sized_async(pieces: AsyncIterable[bytes], size: int) -> AsyncIterator[bytes]:
    sent = 0
    async for piece in pieces:
        sent += len(piece)
        if sent > size:
            break
        yield piece
    _check_size(sent, size)


def _receive(
    of: Target,
    path: str,
    sink: Callable[[bytes], object],
    headers: Mapping[str, str] | None = None,
) -> Flow[Mapping[str, str]]:
    url = f"{of.path}/files{query({'path': path})}"
    request = Request("GET", url, dict(headers or {}), sink=sink)
    return (yield from exchange(of.session, request)).headers


def _send(
    of: Target, path: str, content: Content, mode: int | None, size: int | None
) -> Flow[FileWritten]:
    params = {"path": path, "mode": None if mode is None else f"{mode:o}"}
    headers = {"content-type": "application/octet-stream"}
    if size is not None and not isinstance(content, bytes):
        headers["content-length"] = str(size)
    request = Request("PUT", f"{of.path}/files{query(params)}", headers, content)
    answer = yield from exchange(of.session, request)
    return parse(FileWritten, json.loads(answer.body))
