"""How flows are run: httpx, with and without `await`."""

from __future__ import annotations

import asyncio
import ssl
import time
from typing import Any, AsyncIterable, AsyncIterator, Iterable, Iterator, TypeVar

import httpx

from ._errors import ServiceUnreachableError
from ._requests import SUCCESS, Answer, Flow, Request, Session, Step, failure, late, timeouts

T = TypeVar("T")

MOST_BYTES = 256 * 1024 * 1024
"""Of an answer in memory; the largest, of a batch, have about 64 MiB."""
MOST_ERROR_BYTES = 1024 * 1024


def certificates() -> ssl.SSLContext:
    """The system's authorities, or those of SSL_CERT_FILE."""
    return ssl.create_default_context()


class Driver:
    """Runs flows without `await`."""

    def __init__(self, session: Session) -> None:
        self.session = session
        # `trust_env=False` ignores proxies of the environment.
        self._http = httpx.Client(
            verify=certificates(), trust_env=False, headers=session.headers
        )

    def run(self, flow: Flow[T]) -> T:
        """Performs the steps of a flow; its result."""
        outcome: Any = None
        error: Exception | None = None
        try:
            while True:
                step = flow.send(outcome) if error is None else flow.throw(error)
                outcome, error = None, None
                try:
                    outcome = self._perform(step)
                except Exception as raised:
                    error = raised
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            flow.close()

    def close(self) -> None:
        self._http.close()

    def _perform(self, step: Step) -> Answer | None:
        if not isinstance(step, Request):
            time.sleep(step)
            return None
        response = self.open(step)
        try:
            reader = Reader(step, response, self.session)
            for piece in self.pieces(response):
                reader.add(piece)
            return reader.answer()
        finally:
            response.close()

    def open(self, step: Request) -> httpx.Response:
        """Sends a request; the caller reads and closes its answer."""
        url = f"{self.session.settings.base_url}{step.path}"
        request = self._http.build_request(
            step.method, url, headers=step.headers, content=step.content, timeout=timeouts(step)
        )
        try:
            return self._http.send(request, stream=True)
        except httpx.HTTPError as error:
            raise failure(error, self.session.settings.base_url, step.is_idempotent) from error

    def pieces(self, response: httpx.Response) -> Iterator[bytes]:
        """The bytes of an answer as they arrive."""
        try:
            yield from response.iter_raw()
        except httpx.HTTPError as error:
            raise failure(error, self.session.settings.base_url, False) from error


class AsyncDriver:
    """Runs flows with `await`."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._http = httpx.AsyncClient(
            verify=certificates(), trust_env=False, headers=session.headers
        )

    async def run(self, flow: Flow[T]) -> T:
        """Performs the steps of a flow; its result."""
        outcome: Any = None
        error: Exception | None = None
        try:
            while True:
                step = flow.send(outcome) if error is None else flow.throw(error)
                outcome, error = None, None
                try:
                    outcome = await self._perform(step)
                except Exception as raised:
                    error = raised
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            flow.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def _perform(self, step: Step) -> Answer | None:
        if not isinstance(step, Request):
            await asyncio.sleep(step)
            return None
        response = await self.open(step)
        try:
            reader = Reader(step, response, self.session)
            async for piece in self.pieces(response):
                reader.add(piece)
            return reader.answer()
        finally:
            await response.aclose()

    async def open(self, step: Request) -> httpx.Response:
        """Sends a request; the caller reads and closes its answer."""
        url = f"{self.session.settings.base_url}{step.path}"
        content = step.content
        if isinstance(content, Iterable) and not isinstance(content, (bytes, AsyncIterable)):
            content = _asynchronous(content)
        request = self._http.build_request(
            step.method, url, headers=step.headers, content=content, timeout=timeouts(step)
        )
        try:
            # A task of its own: anyio before 4 cancels the task that connects, and the count of its
            # cancellations stays, for which a later asyncio.timeout() raises CancelledError.
            return await asyncio.create_task(self._http.send(request, stream=True))
        except httpx.HTTPError as error:
            raise failure(error, self.session.settings.base_url, step.is_idempotent) from error

    async def pieces(self, response: httpx.Response) -> AsyncIterator[bytes]:
        """The bytes of an answer as they arrive."""
        try:
            async for piece in response.aiter_raw():
                yield piece
        except httpx.HTTPError as error:
            raise failure(error, self.session.settings.base_url, False) from error


class Reader:
    """Takes the pieces of an answer, within the request's time."""

    def __init__(self, request: Request, response: httpx.Response, session: Session) -> None:
        self._status = response.status_code
        self._headers = {name.lower(): value for name, value in response.headers.items()}
        self._sink = request.sink if response.status_code in SUCCESS else None
        self._pieces: list[bytes] = []
        self._length = 0
        self._most = MOST_BYTES if response.status_code in SUCCESS else MOST_ERROR_BYTES
        self._base_url = session.settings.base_url
        self._end = None if request.timeout is None else time.monotonic() + request.timeout

    def add(self, piece: bytes) -> None:
        if self._end is not None and time.monotonic() > self._end:
            raise late(self._base_url)
        if self._sink is None:
            self._length += len(piece)
            if self._length > self._most:
                reason = f"the answer is larger than {self._most // 1024} KiB"
                raise ServiceUnreachableError(self._base_url, reason, status=self._status)
            self._pieces.append(piece)
        else:
            self._sink(piece)

    def answer(self) -> Answer:
        return Answer(self._status, self._headers, b"".join(self._pieces))


async def _asynchronous(content: Iterable[bytes]) -> AsyncIterator[bytes]:
    for piece in content:
        yield piece
