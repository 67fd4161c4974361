"""Connections to ports of a computer, over a WebSocket; see src/contract/sockets/tunnel.ts."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any, AsyncIterator, Iterator, Mapping

from ._operations.computer import Target
from ._errors import ServiceError
from ._socket import PIECE, AsyncSocket, Loop


class AsyncPortConnection(AsyncSocket):
    """
    A connection to a port of a computer. Iterating over it gives what the other side sends, until it
    has ended; this side is ended by `end`. Leaving its `async with` block closes it.
    """

    def __init__(self, of: Target) -> None:
        super().__init__(of)
        self._pieces: deque[bytes] = deque()
        self._is_open = False
        self._has_ended = False
        self._failure: Exception | None = None

    @classmethod
    async def open(cls, of: Target, port: int) -> AsyncPortConnection:
        """Raises the service's error if nothing listens there."""
        connection = cls(of)
        await connection._connect(f"{of.path}/tunnel?port={port}")
        connection._receiving = asyncio.create_task(connection._receive())
        try:
            while not connection._is_open:
                if connection._failure is not None:
                    raise connection._failure
                connection._changed.clear()
                await connection._changed.wait()
        except BaseException:
            await connection.close()
            raise
        return connection

    async def send(self, data: str | bytes) -> None:
        """Sends bytes, or text in UTF-8."""
        content = data.encode() if isinstance(data, str) else data
        for at in range(0, len(content), PIECE):
            await self._send(content[at : at + PIECE])

    async def end(self) -> None:
        """Sends no more; the other side may continue."""
        await self._send({"type": "end"})

    async def receive(self) -> bytes:
        """The next bytes; empty when the other side has ended."""
        while not self._pieces:
            if self._failure is not None:
                raise self._failure
            if self._has_ended:
                return b""
            self._changed.clear()
            await self._changed.wait()
        piece = self._pieces.popleft()
        self._unread -= len(piece)
        self._changed.set()
        return piece

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while piece := await self.receive():
            yield piece

    async def __aenter__(self) -> AsyncPortConnection:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def _is_over(self) -> bool:
        return self._failure is not None

    def _take_bytes(self, message: bytes) -> None:
        self._pieces.append(message)
        self._unread += len(message)
        self._changed.set()

    def _take_text(self, message: Mapping[str, Any]) -> None:
        if message["type"] == "open":
            self._is_open = True
        elif message["type"] == "end":
            self._has_ended = True
        else:
            error = ServiceError(message["code"], message["error"], remedy=message.get("remedy"))
            self._failure = error
        self._changed.set()

    def _lose(self, error: Exception) -> None:
        # The service closes when both sides have ended.
        if not self._has_ended:
            self._failure = error


class PortConnection:
    """The same without `await`."""

    def __init__(self, of: Target, port: int) -> None:
        self._loop = Loop()
        try:
            self._connection = self._loop.call(AsyncPortConnection.open(of, port))
        except BaseException:
            self._loop.end()
            raise

    def send(self, data: str | bytes) -> None:
        """Sends bytes, or text in UTF-8."""
        self._loop.call(self._connection.send(data))

    def end(self) -> None:
        """Sends no more; the other side may continue."""
        self._loop.call(self._connection.end())

    def receive(self) -> bytes:
        """The next bytes; empty when the other side has ended."""
        return self._loop.call(self._connection.receive())

    def close(self) -> None:
        """Disconnects."""
        if self._loop.is_running:
            self._loop.call(self._connection.close())
            self._loop.end()

    def __iter__(self) -> Iterator[bytes]:
        while piece := self.receive():
            yield piece

    def __enter__(self) -> PortConnection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
