"""Processes with their streams, over a WebSocket; see src/contract/sockets/process.ts."""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
from collections import deque
from typing import (
    Any,
    AsyncIterator,
    Coroutine,
    Iterator,
    Literal,
    Mapping,
    Sequence,
    TypeVar,
    Union,
)

from websockets.exceptions import InvalidStatus
from websockets.frames import Opcode
from websockets.uri import parse_uri

from ._operations.computer import Target
from ._errors import ServiceError, ServiceUnreachableError, error_from_answer
from ._listener import check_peer, checks
from ._models import ProcessExit, parse
from ._requests import CONNECT_SECONDS, given

try:
    from websockets.client import ClientProtocol  # type: ignore[attr-defined]
except ImportError:  # websockets before 11
    from websockets.client import ClientConnection as ClientProtocol

#: Which output: `stdout` or `stderr`.
Stream = Literal["stdout", "stderr"]
Output = tuple[Stream, bytes]
Signal = Literal["INT", "TERM", "HUP", "KILL", "QUIT"]
Command = Union[str, Sequence[str]]

STDIN = b"\x00"
STREAMS: dict[int, Stream] = {1: "stdout", 2: "stderr"}
PIECE = 64 * 1024
"""The service takes messages of at most 256 KiB."""
UNREAD_BYTES = 16 * 1024 * 1024
LARGEST_MESSAGE = 16 * 1024 * 1024
ANSWER_SECONDS = 90.0

T = TypeVar("T")


def start_message(
    command: Command,
    cwd: str | None,
    env: Mapping[str, str] | None,
    timeout: float | None,
    terminal: tuple[int, int] | None = None,
) -> dict[str, Any]:
    """A string is a command line for a shell, a list a program with its arguments."""
    what: dict[str, Any] = {"command": command} if isinstance(command, str) else {"argv": list(command)}
    size = terminal and {"columns": terminal[0], "rows": terminal[1]}
    return {**what, **given(cwd=cwd, env=env and dict(env), timeout=timeout, terminal=size)}


class AsyncProcess:
    """
    A process in a computer. Iterating over it gives its output as it arrives, in pairs of stream and
    bytes. Output that nobody reads is kept up to 16 MiB; then the process waits until it is read.
    Closing it, or leaving its `async with` block, ends the process.
    """

    _receiving: asyncio.Task[None]

    def __init__(self, of: Target) -> None:
        self._of = of
        self._base_url = of.session.settings.base_url
        self._output: deque[Output] = deque()
        self._unread = 0
        self._changed = asyncio.Event()
        self._exited: asyncio.Future[ProcessExit] = asyncio.get_running_loop().create_future()
        # It is no fault if nobody asks how the process ended.
        self._exited.add_done_callback(lambda exited: exited.cancelled() or exited.exception())
        self._fragments = b""
        self._is_text = False

    @classmethod
    async def open(cls, of: Target, start: Mapping[str, Any]) -> AsyncProcess:
        process = cls(of)
        await process._connect(f"{of.path}/process")
        process._protocol.send_text(json.dumps(start).encode())
        await process._flush()
        process._receiving = asyncio.create_task(process._receive())
        return process

    async def write(self, data: str | bytes) -> None:
        """Writes to its standard input."""
        content = data.encode() if isinstance(data, str) else data
        for at in range(0, len(content), PIECE):
            await self._send(STDIN + content[at : at + PIECE])

    async def end_input(self) -> None:
        """Ends its standard input."""
        await self._send({"type": "stdin_end"})

    async def feed(self, data: str | bytes) -> None:
        """Writes all of its standard input."""
        await self.write(data)
        await self.end_input()

    async def kill(self, signal: Signal = "TERM") -> None:
        """Sends a signal to its process group."""
        await self._send({"type": "signal", "signal": signal})

    async def resize(self, columns: int, rows: int) -> None:
        """Sets the size of its terminal."""
        await self._send({"type": "resize", "columns": columns, "rows": rows})

    async def wait(self) -> ProcessExit:
        """How it ended; waits until it has. It needs somebody to read its output."""
        return await asyncio.shield(self._exited)

    async def close(self) -> None:
        """Disconnects; the service then ends the process group."""
        self._receiving.cancel()
        await asyncio.gather(self._receiving, return_exceptions=True)
        self._writer.close()

    async def next_output(self) -> Output | None:
        """The next piece of output; None after the last one."""
        while not self._output:
            if self._exited.done():
                self._exited.result()
                return None
            self._changed.clear()
            await self._changed.wait()
        piece = self._output.popleft()
        self._unread -= len(piece[1])
        self._changed.set()
        return piece

    async def __aiter__(self) -> AsyncIterator[Output]:
        while (piece := await self.next_output()) is not None:
            yield piece

    async def __aenter__(self) -> AsyncProcess:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _connect(self, path: str) -> None:
        session = self._of.session
        uri = parse_uri("ws" + self._base_url[len("http") :] + path)
        context = ssl.create_default_context() if uri.secure else None
        try:
            opening = asyncio.open_connection(uri.host, uri.port, ssl=context)
            self._reader, self._writer = await asyncio.wait_for(opening, CONNECT_SECONDS)
        except (OSError, asyncio.TimeoutError) as error:
            refused = isinstance(error, ConnectionRefusedError)
            reason = "nothing listens there" if refused else str(error) or "no connection in time"
            raise ServiceUnreachableError(self._base_url, reason) from error
        try:
            if checks(session.settings):
                sock = self._writer.get_extra_info("socket")
                check_peer(sock, session.settings.listener_uid)
            self._protocol = ClientProtocol(uri, max_size=LARGEST_MESSAGE)
            request = self._protocol.connect()
            for name, value in session.headers.items():
                request.headers[name] = value
            self._protocol.send_request(request)
            await asyncio.wait_for(self._shake_hands(), ANSWER_SECONDS)
        except BaseException:
            self._writer.close()
            raise

    async def _shake_hands(self) -> None:
        await self._flush()
        while self._protocol.state.name == "CONNECTING" and self._protocol.handshake_exc is None:
            data = await self._reader.read(PIECE)
            if not data:
                self._protocol.receive_eof()
            else:
                self._protocol.receive_data(data)
            if not data and self._protocol.handshake_exc is None:
                raise ServiceUnreachableError(self._base_url, "the connection was closed")
        refusal = self._protocol.handshake_exc
        if isinstance(refusal, InvalidStatus):
            answer = refusal.response
            headers = {name.lower(): value for name, value in answer.headers.raw_items()}
            body = answer.body or b""
            raise error_from_answer(self._base_url, answer.status_code, headers, body)
        if refusal is not None:
            raise ServiceUnreachableError(self._base_url, str(refusal)) from refusal
        self._protocol.events_received()

    async def _flush(self) -> None:
        self._write_pending()
        await self._writer.drain()

    def _write_pending(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._writer.write(data)

    async def _send(self, message: bytes | Mapping[str, Any]) -> None:
        # What is sent to a process that has ended has no effect.
        if self._exited.done() or self._protocol.state.name != "OPEN":
            return
        if isinstance(message, bytes):
            self._protocol.send_binary(message)
        else:
            self._protocol.send_text(json.dumps(message).encode())
        try:
            await self._flush()
        except ConnectionError:
            pass  # _receive() says why.

    async def _receive(self) -> None:
        lost: Exception = ServiceUnreachableError(self._base_url, "the connection was lost")
        try:
            while not self._exited.done() and (data := await self._reader.read(PIECE)):
                self._protocol.receive_data(data)
                for frame in self._protocol.events_received():
                    self._note(frame)
                # Never waits: the service may read input only when its output is read.
                self._write_pending()
                while self._unread > UNREAD_BYTES:
                    self._changed.clear()
                    await self._changed.wait()
        except OSError as error:
            lost.__cause__ = error
        except asyncio.CancelledError:
            lost = ServiceUnreachableError(self._base_url, "the process was closed")
            raise
        finally:
            if not self._exited.done():
                self._exited.set_exception(lost)
            self._changed.set()

    def _note(self, frame: Any) -> None:
        if frame.opcode in (Opcode.TEXT, Opcode.BINARY):
            self._is_text, self._fragments = frame.opcode is Opcode.TEXT, b""
        elif frame.opcode is not Opcode.CONT:
            return
        self._fragments += frame.data
        if not frame.fin or self._exited.done():
            return
        message = self._fragments
        if self._is_text:
            self._end(json.loads(message))
        elif message and message[0] in STREAMS:
            self._output.append((STREAMS[message[0]], message[1:]))
            self._unread += len(message) - 1
            self._changed.set()

    def _end(self, event: Mapping[str, Any]) -> None:
        if event["type"] == "exit":
            self._exited.set_result(parse(ProcessExit, event))
        else:
            error = ServiceError(event["code"], event["error"], remedy=event.get("remedy"))
            self._exited.set_exception(error)


class Process:
    """The same without `await`. Iterate over it, or read its output in another thread."""

    def __init__(self, of: Target, start: Mapping[str, Any]) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        try:
            self._process = self._call(AsyncProcess.open(of, start))
        except BaseException:
            self._end_loop()
            raise

    def write(self, data: str | bytes) -> None:
        """Writes to its standard input."""
        self._call(self._process.write(data))

    def feed(self, data: str | bytes) -> None:
        """Writes all of its standard input, without waiting until the process has read it."""
        self._spawn(self._process.feed(data))

    def end_input(self) -> None:
        """Ends its standard input."""
        self._call(self._process.end_input())

    def kill(self, signal: Signal = "TERM") -> None:
        """Sends a signal to its process group."""
        self._call(self._process.kill(signal))

    def resize(self, columns: int, rows: int) -> None:
        """Sets the size of its terminal."""
        self._call(self._process.resize(columns, rows))

    def wait(self) -> ProcessExit:
        """How it ended; waits until it has. It needs somebody to read its output."""
        return self._call(self._process.wait())

    def close(self) -> None:
        """Disconnects; the service then ends the process group."""
        if self._thread.is_alive():
            self._call(self._process.close())
            self._end_loop()

    def __iter__(self) -> Iterator[Output]:
        while (piece := self._call(self._process.next_output())) is not None:
            yield piece

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _spawn(self, work: Coroutine[Any, Any, T]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        result: T = self._spawn(work).result()
        return result

    def _end_loop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
