"""What happens to projects and computers, as a stream that continues after a lost connection."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import time
from typing import Any, AsyncIterator, Dict, Iterator, Literal, Optional, Sequence, Tuple

import httpx

from ._driver import AsyncDriver, Driver
from ._errors import ServiceError, ServiceUnreachableError, error_from_answer
from ._requests import Request, Session, query

EventType = Literal[
    "computer.created",
    "computer.status",
    "computer.control",
    "computer.deleted",
    "project.created",
    "project.renamed",
    "project.deleted",
    "job.exited",
    "action",
]

SILENT_SECONDS = 45.0
"""Without a byte in this time the connection is lost: the service sends something every 15 s."""
FIRST_PAUSE_SECONDS = 0.25
LONGEST_PAUSE_SECONDS = 10.0
PASSING = (429, 502, 503, 504)

#: The id and the event of a part of a stream; one without an event only tells the position.
Block = Tuple[Optional[str], Optional[Dict[str, Any]]]


class EventParser:
    """Parses an event stream (WHATWG HTML, 9.2.6)."""

    def __init__(self) -> None:
        self._rest = b""
        self._id: str | None = None
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> Iterator[Block]:
        """The id and the event of each block; a block without data only has an id."""
        # The service ends lines with LF.
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            name, _, value = line.decode().partition(":")
            if name == "id":
                self._id = value.removeprefix(" ")
            elif name == "data":
                self._data.append(value.removeprefix(" "))
            elif line == b"" and (self._id is not None or self._data):
                event = json.loads("\n".join(self._data)) if self._data else None
                yield self._id, event
                self._id, self._data = None, []


class _Stream:
    """What both kinds of streams share: the request, the position, and when to continue."""

    def __init__(
        self,
        session: Session,
        project: str | None,
        computer: str | None,
        types: Sequence[EventType] | None,
        last_event_id: str | None,
    ) -> None:
        params = {"project": project, "computer": computer, "types": types and ",".join(types)}
        self._base_url = session.settings.base_url
        self._path = f"/events{query(params)}"
        self._failures = 0
        self._is_connected = False
        self.last_event_id = last_event_id
        """From where another stream would continue; None before the service has answered."""

    def _request(self) -> Request:
        headers = {"accept": "text/event-stream"}
        if self.last_event_id is not None:
            headers["last-event-id"] = self.last_event_id
        return Request("GET", self._path, headers, timeout=SILENT_SECONDS)

    def _refusal(self, response: httpx.Response, body: bytes) -> Exception:
        return error_from_answer(self._base_url, response.status_code, response.headers, body)

    def _note(self, id: str | None) -> None:
        self._failures = 0
        self._is_connected = True
        if id is not None:
            self.last_event_id = id

    def _first(self, block: Block | None) -> list[Block]:
        """What has been read of a stream that was opened: its beginning, which has the position."""
        if block is None:
            raise ServiceUnreachableError(self._base_url, "the connection was lost")
        if block[1] is None:
            self._note(block[0])
        return [block]

    def _pause(self, error: Exception | None) -> float:
        """Seconds until it connects again; raises the error if that cannot help."""
        if isinstance(error, (ServiceError, ServiceUnreachableError)):
            if not self._is_connected or error.status not in (None, *PASSING):
                raise error
        elif error is not None and not (self._is_connected and isinstance(error, TimeoutError)):
            raise error
        pause = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * float(2**self._failures))
        self._failures += 1
        # Without jitter, clients of a service that restarts would return together.
        return pause * random.uniform(0.75, 1.25)


class Events(_Stream):
    """
    An iterator without end over events, each a dictionary with its `type`; see docs/http.md. Its
    `with` block is entered when the stream is open.
    """

    def __init__(self, driver: Driver, session: Session, *filters: Any) -> None:
        super().__init__(session, *filters)
        self._driver = driver
        self._waiting: _Connection | None = None

    def open(self) -> Events:
        """
        Returns the same iterator when the stream is open: no event from then on is missed, also none
        before the loop begins, and `last_event_id` is known.
        """
        if self._waiting is None:
            connection = self._connect()
            try:
                if self.last_event_id is None:
                    connection.read = self._first(next(connection.blocks, None))
            except BaseException:
                connection.close()
                raise
            connection.position = self.last_event_id
            self._waiting = connection
        return self

    def close(self) -> None:
        """Closes a stream that is open and not read; a loop closes the one that it reads."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.close()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while True:
            error = None
            try:
                yield from self._events()
            except Exception as raised:
                error = raised
            time.sleep(self._pause(error))

    def __enter__(self) -> Events:
        return self.open()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _events(self) -> Iterator[dict[str, Any]]:
        connection = self._opened()
        try:
            for id, event in itertools.chain(connection.read, connection.blocks):
                self._note(id)
                if event is not None:
                    yield event
        finally:
            connection.close()

    def _opened(self) -> _Connection:
        """The stream that `open` has left, or else a new one."""
        if self._waiting is not None and self._waiting.position != self.last_event_id:
            # Another loop has read further since; this one would repeat events.
            self.close()
        waiting, self._waiting = self._waiting, None
        return waiting or self._connect()

    def _connect(self) -> _Connection:
        response = self._driver.open(self._request())
        if response.status_code == 200:
            self._is_connected = True
            return _Connection(response, self._driver)
        try:
            raise self._refusal(response, response.read())
        finally:
            response.close()


class _Connection:
    """An open stream."""

    def __init__(self, response: httpx.Response, driver: Driver) -> None:
        self._response = response
        self.position: str | None = None
        """The id after which it continues."""
        self.read: list[Block] = []
        """What was read of it before the loop."""
        parser = EventParser()
        self.blocks = (block for piece in driver.pieces(response) for block in parser.feed(piece))

    def close(self) -> None:
        self._response.close()


class AsyncEvents(_Stream):
    """The same for `async for` and `async with`."""

    def __init__(self, driver: AsyncDriver, session: Session, *filters: Any) -> None:
        super().__init__(session, *filters)
        self._driver = driver
        self._waiting: _AsyncConnection | None = None

    async def open(self) -> AsyncEvents:
        """
        Returns the same iterator when the stream is open: no event from then on is missed, also none
        before the loop begins, and `last_event_id` is known.
        """
        if self._waiting is None:
            connection = await self._connect()
            try:
                if self.last_event_id is None:
                    connection.read = self._first(await connection.next())
            except BaseException:
                await connection.close()
                raise
            connection.position = self.last_event_id
            self._waiting = connection
        return self

    async def close(self) -> None:
        """Closes a stream that is open and not read; a loop closes the one that it reads."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            await waiting.close()

    async def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        while True:
            error = None
            try:
                async for event in self._events():
                    yield event
            except Exception as raised:
                error = raised
            await asyncio.sleep(self._pause(error))

    async def __aenter__(self) -> AsyncEvents:
        return await self.open()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _events(self) -> AsyncIterator[dict[str, Any]]:
        connection = await self._opened()
        try:
            while (block := await connection.next()) is not None:
                id, event = block
                self._note(id)
                if event is not None:
                    yield event
        finally:
            await connection.close()

    async def _opened(self) -> _AsyncConnection:
        """The stream that `open` has left, or else a new one."""
        if self._waiting is not None and self._waiting.position != self.last_event_id:
            # Another loop has read further since; this one would repeat events.
            await self.close()
        waiting, self._waiting = self._waiting, None
        return waiting or await self._connect()

    async def _connect(self) -> _AsyncConnection:
        response = await self._driver.open(self._request())
        if response.status_code == 200:
            self._is_connected = True
            return _AsyncConnection(response, self._driver)
        try:
            raise self._refusal(response, await response.aread())
        finally:
            await response.aclose()


class _AsyncConnection:
    """An open stream."""

    def __init__(self, response: httpx.Response, driver: AsyncDriver) -> None:
        self._response = response
        self.position: str | None = None
        """The id after which it continues."""
        self.read: list[Block] = []
        """What was read of it before the loop."""
        self._blocks = self._parsed(driver)

    async def next(self) -> Block | None:
        """None at its end."""
        if self.read:
            return self.read.pop(0)
        async for block in self._blocks:
            return block
        return None

    async def close(self) -> None:
        await self._response.aclose()

    async def _parsed(self, driver: AsyncDriver) -> AsyncIterator[Block]:
        parser = EventParser()
        async for piece in driver.pieces(self._response):
            for block in parser.feed(piece):
                yield block
