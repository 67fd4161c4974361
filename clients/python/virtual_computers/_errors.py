"""Errors of the client. All others, such as those of your own files, are passed on as they are."""

from __future__ import annotations

import email.utils
import json
import time
from typing import Mapping
from urllib.parse import unquote

from ._models import CommandResult, ComputerInfo, PythonResult

API_VERSION_HEADER = "x-api-version"
"""In every answer of the service, and in none of another program."""
_CODES = {400: "invalid_request", 401: "unauthorized", 403: "forbidden", 404: "not_found"}


class VirtualComputersError(Exception):
    """Base of the client's errors."""

    def __init__(self, message: str, *, remedy: str | None = None) -> None:
        end = "" if message.endswith(("?", "!")) else "."
        text = message if remedy is None else f"{message.rstrip('.')}{end} {remedy}"
        super().__init__(text)
        self.message = message
        self.remedy = remedy
        """What to do next, often a command of `vc`; None if there is nothing to suggest."""


class WebhookVerificationError(VirtualComputersError):
    """A message to a webhook is not from the service, or too old."""


class ServiceError(VirtualComputersError):
    """The service answered with an error."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int = 500,
        remedy: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.code = code
        """For example `not_found`; see docs/http.md."""
        self.status = status
        """HTTP status."""
        self.headers = headers or {}
        self.request_id = self.headers.get("x-request-id")
        """Id of the request in the log of the service."""
        self.retry_after = retry_after(self.headers)
        """Seconds after which to try again, if the service said so."""


class ServiceUnreachableError(VirtualComputersError):
    """Nothing answered at the base URL, or something that is not this service."""

    def __init__(
        self,
        base_url: str,
        reason: str,
        *,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
        remedy: str | None = None,
        may_repeat: bool = False,
        is_refused: bool = False,
    ) -> None:
        super().__init__(f"cannot reach the service at {base_url}: {reason}", remedy=remedy)
        self.base_url = base_url
        self.status = status
        """HTTP status of what answered, for example a proxy; None if nothing did."""
        self.headers = headers or {}
        self.retry_after = retry_after(self.headers)
        self.may_repeat = may_repeat
        """The request was not carried out, or has the same effect if it is carried out twice."""
        self.is_refused = is_refused
        """No program listens there."""


class ServiceTimeoutError(VirtualComputersError, TimeoutError):
    """No answer in time; the operation may still be running."""


class SettingsError(VirtualComputersError, ValueError):
    """The base URL, the key or the profile cannot be used."""


class ComputerStartError(VirtualComputersError):
    """The computer exists and did not start."""

    def __init__(self, computer: ComputerInfo) -> None:
        reason = "" if computer.status_reason is None else f": {computer.status_reason}"
        status = f'its status is "{computer.status}"{reason}'
        super().__init__(f'the computer "{computer.name}" did not start: {status}')
        self.computer = computer


class CommandError(VirtualComputersError):
    """A command or code with `check=True` failed or was ended at its `timeout`."""

    def __init__(self, result: CommandResult | PythonResult) -> None:
        super().__init__(_describe(result))
        self.result = result


for _error in (
    VirtualComputersError,
    ServiceError,
    ServiceUnreachableError,
    ServiceTimeoutError,
    SettingsError,
    ComputerStartError,
    CommandError,
):
    _error.__module__ = "virtual_computers"  # as tracebacks name them


def _describe(result: CommandResult | PythonResult) -> str:
    """Never the command itself, which may hold a secret."""
    if result.timed_out:
        return "the command did not end in time"
    if isinstance(result, PythonResult):
        return f"the code failed: {_last_line(result.error or '')}"
    if result.exit_code is None:
        end = "the command was ended by a signal"
    else:
        end = f"the command exited with {result.exit_code}"
    return f"{end}: {_last_line(result.stderr)}" if result.stderr.strip() else end


def _last_line(text: str) -> str:
    return text.rstrip().split("\n")[-1][:500]


def not_listening(base_url: str) -> ServiceUnreachableError:
    remedy = "Start it with vc serve --detach, or check the base URL (VC_BASE_URL)"
    reason = "nothing listens there"
    return ServiceUnreachableError(
        base_url, reason, remedy=remedy, may_repeat=True, is_refused=True
    )


def error_from_answer(
    base_url: str, status: int, headers: Mapping[str, str], body: bytes
) -> ServiceError | ServiceUnreachableError:
    """The error of an answer that is not a success. Names of headers are in lower case."""
    try:
        message = json.loads(body)["error"]
        if not isinstance(message, str) or API_VERSION_HEADER not in headers:
            raise TypeError
    except (ValueError, KeyError, TypeError):
        reason = f"HTTP {status} without this service's error format; is the base URL right?"
        return ServiceUnreachableError(base_url, reason, status=status, headers=headers)
    otherwise = _CODES.get(status, "internal" if status >= 500 else "invalid_request")
    code = headers.get("x-error-code", otherwise)
    remedy = _decode(headers.get("x-error-remedy"))
    return ServiceError(code, message, status=status, remedy=remedy, headers=headers)


def _decode(remedy: str | None) -> str | None:
    try:
        return remedy and unquote(remedy, errors="strict")
    except UnicodeDecodeError:
        return None


def retry_after(headers: Mapping[str, str]) -> float | None:
    """`Retry-After` in seconds; HTTP allows a date as well."""
    value = headers.get("retry-after", "")
    if value.isdecimal():
        return float(value[:9])
    try:
        time_of_day = email.utils.parsedate_to_datetime(value).timestamp()
    except (TypeError, ValueError):
        return None
    return max(0.0, time_of_day - time.time())
