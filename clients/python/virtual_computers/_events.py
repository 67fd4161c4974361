"""What happens to projects and computers, as a stream that continues after a lost connection."""

from __future__ import annotations

import asyncio
import json
import random
import time
from typing import Any, AsyncIterator, Iterator, Literal, Sequence

import httpx

from ._driver import AsyncDriver, Driver
from ._errors import ServiceError, ServiceUnreachableError, error_from_answer
from ._requests import Request, Session, query

EventType = Literal[
    "computer.created",
    "computer.status",
    "computer.deleted",
    "project.created",
    "project.deleted",
    "job.exited",
    "action",
]

SILENT_SECONDS = 45.0
"""Without a byte in this time the connection is lost: the service sends something every 15 s."""
FIRST_PAUSE_SECONDS = 0.25
LONGEST_PAUSE_SECONDS = 10.0
PASSING = (429, 502, 503, 504)


class EventParser:
    """Parses an event stream (WHATWG HTML, 9.2.6)."""

    def __init__(self) -> None:
        self._rest = b""
        self._id: str | None = None
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> Iterator[tuple[str | None, dict[str, Any] | None]]:
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
    """What both kinds of streams share: the request, the position, and when to go on."""

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
    """An iterator without end over events, each a dictionary with its `type`; see docs/http.md."""

    def __init__(self, driver: Driver, session: Session, *filters: Any) -> None:
        super().__init__(session, *filters)
        self._driver = driver

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while True:
            error = None
            try:
                yield from self._connection()
            except Exception as raised:
                error = raised
            time.sleep(self._pause(error))

    def _connection(self) -> Iterator[dict[str, Any]]:
        response = self._driver.open(self._request())
        try:
            if response.status_code != 200:
                raise self._refusal(response, response.read())
            parser = EventParser()
            for chunk in self._driver.pieces(response):
                for id, event in parser.feed(chunk):
                    self._note(id)
                    if event is not None:
                        yield event
        finally:
            response.close()


class AsyncEvents(_Stream):
    """The same for `async for`."""

    def __init__(self, driver: AsyncDriver, session: Session, *filters: Any) -> None:
        super().__init__(session, *filters)
        self._driver = driver

    async def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        while True:
            error = None
            try:
                async for event in self._connection():
                    yield event
            except Exception as raised:
                error = raised
            await asyncio.sleep(self._pause(error))

    async def _connection(self) -> AsyncIterator[dict[str, Any]]:
        response = await self._driver.open(self._request())
        try:
            if response.status_code != 200:
                raise self._refusal(response, await response.aread())
            parser = EventParser()
            async for chunk in self._driver.pieces(response):
                for id, event in parser.feed(chunk):
                    self._note(id)
                    if event is not None:
                        yield event
        finally:
            await response.aclose()
