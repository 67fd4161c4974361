"""Requests apart from how they are sent: operations are generators that yield what to do next."""

from __future__ import annotations

import itertools
import json
import random
import re
import time
import uuid
from dataclasses import dataclass, field, replace
from typing import Any, AsyncIterable, Callable, Generator, Iterable, Mapping, TypeVar, Union
from urllib.parse import quote, urlencode, urlsplit

import httpx

from ._errors import (
    API_VERSION_HEADER,
    ServiceError,
    ServiceTimeoutError,
    ServiceUnreachableError,
    error_from_answer,
    not_listening,
)
from ._settings import Settings

CONNECT_SECONDS = 10.0
MARGIN_SECONDS = 180.0
"""Longer than any wait within the service: starting, queueing, stopping."""
STALL_SECONDS = 120.0
"""Between two pieces of a transfer; the service ends stalled ones itself."""
FIRST_PAUSE_SECONDS = 0.25
RESTART_SECONDS = 5.0
"""A service of this machine that restarts refuses connections for a second or two."""
RESTART_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 60.0
SUCCESS = (200, 206)
"""All of what was asked for, and a part of a file."""
IDEMPOTENCY_KEY = "idempotency-key"
CREATION = re.compile(r"/projects|/images|(/projects/[^/]+)?/computers(/[^/]+/(fork|snapshots))?")
"""Paths to which the service carries out a POST once for the same key."""

Content = Union[bytes, Iterable[bytes], AsyncIterable[bytes], None]


@dataclass(frozen=True)
class Request:
    """A request as it is sent."""

    method: str
    path: str
    """With its query."""
    headers: Mapping[str, str] = field(default_factory=dict)
    content: Content = None
    timeout: float | None = None
    """Seconds for the whole answer; None for a transfer of any length."""
    sink: Callable[[bytes], object] | None = None
    """Takes the bytes of a success as they arrive."""

    @property
    def can_repeat(self) -> bool:
        return self.sink is None and (self.content is None or isinstance(self.content, bytes))

    @property
    def is_idempotent(self) -> bool:
        """It has the same effect if it is carried out twice."""
        return self.method == "GET" or IDEMPOTENCY_KEY in self.headers


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes


T = TypeVar("T")
Step = Union[Request, float]
#: Yields requests, for which it receives answers, and pauses in seconds; returns a result.
Flow = Generator[Step, Any, T]


@dataclass(frozen=True)
class Session:
    """What all requests of a client share."""

    settings: Settings
    request_timeout: float | None = None
    max_retries: int = 2

    def __post_init__(self) -> None:
        if self.request_timeout is not None and self.request_timeout <= 0:
            raise ValueError("request_timeout must be above 0")
        if not 0 <= self.max_retries <= 10:
            raise ValueError("max_retries must be from 0 to 10")

    def changed(self, request_timeout: float | None, max_retries: int | None) -> Session:
        """The same with other values where they are given."""
        changes = given(request_timeout=request_timeout, max_retries=max_retries)
        return replace(self, **changes)

    @property
    def headers(self) -> dict[str, str]:
        key = self.settings.api_key
        authorization = {} if key is None else {"authorization": f"Bearer {key}"}
        # Screenshots and files are not worth compressing.
        plain = {"accept-encoding": "identity"}
        return {"user-agent": "virtual-computers-python", **plain, **authorization}

    def limit(self, work: float) -> float:
        """Seconds until the answer has to be there; only a service that hangs takes longer."""
        return work + MARGIN_SECONDS if self.request_timeout is None else self.request_timeout


def segment(value: str) -> str:
    """One percent-encoded segment of a path; `.` and `..` keep their meaning nowhere."""
    if value == "":
        raise ValueError("a name or id is empty")
    return value.replace(".", "%2E") if value in (".", "..") else quote(value, safe="")


def query(values: Mapping[str, Any]) -> str:
    """`?a=1` of the values that are set, a list as several; empty without any."""
    given = {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in values.items()
        if value is not None
    }
    encoded = urlencode(given, doseq=True)
    return f"?{encoded}" if encoded else ""


def call(
    session: Session,
    method: str,
    path: str,
    body: Mapping[str, Any] | None = None,
    *,
    params: Mapping[str, Any] | None = None,
    accept: str = "application/json",
    work: float = 0,
) -> Flow[Answer]:
    """Runs an operation that takes `work` seconds itself."""
    headers = {"accept": accept}
    content = None
    if body is not None:
        headers["content-type"] = "application/json"
        content = json.dumps(body).encode()
    # Without retries, nothing is sent twice.
    if session.max_retries > 0 and method == "POST" and CREATION.fullmatch(path.split("?")[0]):
        headers[IDEMPOTENCY_KEY] = str(uuid.uuid4())
    limit = session.limit(work)
    request = Request(method, path + query(params or {}), headers, content, limit)
    return (yield from exchange(session, request))


def call_json(
    session: Session,
    method: str,
    path: str,
    body: Mapping[str, Any] | None = None,
    *,
    params: Mapping[str, Any] | None = None,
    work: float = 0,
) -> Flow[dict[str, Any]]:
    """The same for the JSON object of the answer."""
    answer = yield from call(session, method, path, body, params=params, work=work)
    try:
        parsed = json.loads(answer.body)
        if isinstance(parsed, dict):
            return parsed
    except ValueError:
        pass
    reason = "the answer is not JSON; is the base URL right?"
    raise ServiceUnreachableError(session.settings.base_url, reason, status=answer.status)


def given(**fields: Any) -> dict[str, Any]:
    """The fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def exchange(session: Session, request: Request) -> Flow[Answer]:
    """
    Sends a request, again where that has no effect of its own: after 429 and a refused connection
    always, after 502, 503 and a lost connection if it is idempotent. A service of this machine that
    refuses connections is tried for 5 s, as it may restart.
    """
    limit = float("inf") if request.timeout is None else request.timeout
    deadline = time.monotonic() + limit
    restarted_by = time.monotonic() + RESTART_SECONDS
    for retry in itertools.count():
        left = None if request.timeout is None else max(deadline - time.monotonic(), 0.001)
        try:
            answer: Answer = yield replace(request, timeout=left)
            base_url = session.settings.base_url
            if answer.status in SUCCESS:
                return of_service(base_url, answer)
            raise error_from_answer(base_url, answer.status, answer.headers, answer.body)
        except (ServiceError, ServiceUnreachableError) as error:
            pause = _pause(error, request, retry)
            may_restart = _is_refused_here(error) and time.monotonic() < restarted_by
            if may_restart and pause is not None:
                pause = min(pause, RESTART_PAUSE_SECONDS)
            is_last = not request.can_repeat or session.max_retries == 0
            is_last = is_last or (retry >= session.max_retries and not may_restart)
            if pause is None or is_last or time.monotonic() + pause >= deadline:
                raise
            yield pause
    raise AssertionError("the loop returns or raises")


def _is_refused_here(error: ServiceError | ServiceUnreachableError) -> bool:
    """Whether no program of this machine listens at the base URL."""
    if not isinstance(error, ServiceUnreachableError) or not error.is_refused:
        return False
    host = urlsplit(error.base_url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def of_service(base_url: str, answer: Answer) -> Answer:
    """An answer that is a success, unless another program than the service has given it."""
    if API_VERSION_HEADER in answer.headers:
        return answer
    reason = "another program answers there; is the base URL right?"
    raise ServiceUnreachableError(base_url, reason, status=answer.status, headers=answer.headers)


def _pause(
    error: ServiceError | ServiceUnreachableError, request: Request, retry: int
) -> float | None:
    """Seconds until the next attempt; None if it cannot help or is too far away."""
    may_repeat = isinstance(error, ServiceUnreachableError) and error.may_repeat
    is_passing = error.status == 429 or (request.is_idempotent and error.status in (502, 503))
    if not may_repeat and not is_passing:
        return None
    if error.retry_after is not None:
        return error.retry_after if error.retry_after <= LONGEST_PAUSE_SECONDS else None
    # Without jitter, clients that were refused together would return together.
    return FIRST_PAUSE_SECONDS * float(2**retry) * random.uniform(0.75, 1.25)


def timeouts(request: Request) -> httpx.Timeout:
    read = STALL_SECONDS if request.timeout is None else request.timeout
    return httpx.Timeout(read, connect=min(CONNECT_SECONDS, read), write=STALL_SECONDS, pool=None)


def late(base_url: str) -> ServiceTimeoutError:
    remedy = "The operation may still be running: check its result before you retry"
    return ServiceTimeoutError(f"the service at {base_url} did not answer in time", remedy=remedy)


def failure(error: httpx.HTTPError, base_url: str, is_idempotent: bool) -> Exception:
    """The error of a connection that failed before an answer."""
    if isinstance(error, httpx.ConnectTimeout):
        return ServiceUnreachableError(base_url, "no connection in time")
    if isinstance(error, httpx.TimeoutException):
        return late(base_url)
    if isinstance(error, httpx.ConnectError):
        causes = list(_causes(error))
        if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
            return not_listening(base_url)
        return ServiceUnreachableError(base_url, str(causes[-1]) or type(causes[-1]).__name__)
    # A kept-alive connection may just have been closed.
    return ServiceUnreachableError(base_url, "the connection was closed", may_repeat=is_idempotent)


def _causes(error: BaseException | None) -> Generator[BaseException, None, None]:
    """An error and what caused it; of a group of errors its members, too."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        for member in getattr(error, "exceptions", ()):
            yield from _causes(member)
        error = error.__cause__ or error.__context__
