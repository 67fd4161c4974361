"""Processes with their streams, over a WebSocket; see src/contract/sockets/process.ts."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from typing import Any, AsyncIterator, Iterator, Literal, Mapping, Sequence, Union

from ._operations.computer import Target
from ._errors import ServiceError
from ._models import ProcessExit, parse
from ._requests import given
from ._socket import PIECE, AsyncSocket, Loop

#: Which output: `stdout` or `stderr`.
Stream = Literal["stdout", "stderr"]
Output = tuple[Stream, bytes]
#: A signal for a process, with or without `SIG`.
Signal = Literal[
    "INT", "TERM", "HUP", "KILL", "QUIT", "SIGINT", "SIGTERM", "SIGHUP", "SIGKILL", "SIGQUIT"
]
SIGNALS = ("INT", "TERM", "HUP", "KILL", "QUIT")
Command = Union[str, Sequence[str]]

STDIN = b"\x00"
STREAMS: dict[int, Stream] = {1: "stdout", 2: "stderr"}


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


def signal_name(signal: Signal) -> str:
    """The name as the service takes it. Raises TypeError for one that is not in SIGNALS."""
    name = signal.removeprefix("SIG") if isinstance(signal, str) else None
    if name not in SIGNALS:
        raise TypeError(f"unknown signal {signal!r}: use one of {', '.join(SIGNALS)}")
    return name


class AsyncProcess(AsyncSocket):
    """
    A process in a computer. Iterating over it gives its output as it arrives, in pairs of stream and
    bytes. Output that nobody reads is kept up to 16 MiB; then the process waits until it is read.
    Closing it, or leaving its `async with` block, ends the process.
    """

    def __init__(self, of: Target) -> None:
        super().__init__(of)
        self._output: deque[Output] = deque()
        self._exited: asyncio.Future[ProcessExit] = asyncio.get_running_loop().create_future()
        # It is no error if nothing asks how the process ended.
        self._exited.add_done_callback(lambda exited: exited.cancelled() or exited.exception())

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
        """Sends a signal to its process group; TypeError for an unknown name."""
        await self._send({"type": "signal", "signal": signal_name(signal)})

    async def resize(self, columns: int, rows: int) -> None:
        """Sets the size of its terminal."""
        await self._send({"type": "resize", "columns": columns, "rows": rows})

    async def wait(self) -> ProcessExit:
        """How it ended; waits until it has. Its output has to be read."""
        return await asyncio.shield(self._exited)

    async def close(self) -> None:
        """Disconnects; the service then ends the process group."""
        await super().close()

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

    async def _send(self, message: bytes | Mapping[str, Any]) -> None:
        # What is sent to a process that has ended has no effect.
        if not self._is_over:
            await super()._send(message)

    @property
    def _is_over(self) -> bool:
        return self._exited.done()

    def _take_bytes(self, message: bytes) -> None:
        if message and message[0] in STREAMS:
            self._output.append((STREAMS[message[0]], message[1:]))
            self._unread += len(message) - 1
            self._changed.set()

    def _take_text(self, message: Mapping[str, Any]) -> None:
        if message["type"] == "exit":
            self._exited.set_result(parse(ProcessExit, message))
        else:
            error = ServiceError(message["code"], message["error"], remedy=message.get("remedy"))
            self._exited.set_exception(error)

    def _lose(self, error: Exception) -> None:
        self._exited.set_exception(error)


class Process:
    """The same without `await`. Iterate over it, or read its output in another thread."""

    def __init__(self, of: Target, start: Mapping[str, Any]) -> None:
        self._loop = Loop()
        try:
            self._process = self._loop.call(AsyncProcess.open(of, start))
        except BaseException:
            self._loop.end()
            raise

    def write(self, data: str | bytes) -> None:
        """Writes to its standard input."""
        self._loop.call(self._process.write(data))

    def feed(self, data: str | bytes) -> None:
        """Writes all of its standard input, without waiting until the process has read it."""
        self._loop.spawn(self._process.feed(data))

    def end_input(self) -> None:
        """Ends its standard input."""
        self._loop.call(self._process.end_input())

    def kill(self, signal: Signal = "TERM") -> None:
        """Sends a signal to its process group; TypeError for an unknown name."""
        self._loop.call(self._process.kill(signal))

    def resize(self, columns: int, rows: int) -> None:
        """Sets the size of its terminal."""
        self._loop.call(self._process.resize(columns, rows))

    def wait(self) -> ProcessExit:
        """How it ended; waits until it has. Its output has to be read."""
        return self._loop.call(self._process.wait())

    def close(self) -> None:
        """Disconnects; the service then ends the process group."""
        if self._loop.is_running:
            self._loop.call(self._process.close())
            self._loop.end()

    def __iter__(self) -> Iterator[Output]:
        while (piece := self._loop.call(self._process.next_output())) is not None:
            yield piece

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
