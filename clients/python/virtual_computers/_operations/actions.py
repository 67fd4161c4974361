"""Screen, mouse, keyboard and commands; generators for both clients, see _requests.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Mapping, Sequence, Union

from .computer import Target
from .._errors import CommandError
from .._models import BatchResult, CommandResult, PythonResult, Settled, WaitResult, parse
from .._requests import Flow, call, given

Button = Literal["left", "right", "middle"]
#: Wait for the screen after an action: True, or (quiet_ms, max_ms).
Settle = Union[bool, tuple[int, int], None]
#: x, y, width, height in pixels.
Region = tuple[int, int, int, int]
StrPath = Union[str, Path]

BASH_SECONDS = 200.0
PYTHON_SECONDS = 10.0
WAIT_SECONDS = 10.0


def screenshot(
    of: Target,
    path: StrPath | None = None,
    *,
    format: Literal["png", "jpeg", "webp"] = "png",
    quality: int | None = None,
    scale: float | None = None,
    region: Region | None = None,
    cursor: bool | None = None,
    settle: Settle = None,
) -> Flow[bytes]:
    """Takes a screenshot; returns the bytes of an image file, and writes them to `path`."""
    params: dict[str, Any] = {
        **given(format=format, quality=quality, scale=scale, cursor=cursor),
        "region": region and ",".join(map(str, region)),
        "settle": ",".join(map(str, settle)) if isinstance(settle, tuple) else settle,
    }
    url, accept = f"{of.path}/screenshot", f"image/{format}"
    answer = yield from call(of.session, "GET", url, params=params, accept=accept)
    if path is not None:
        Path(path).write_bytes(answer.body)
    return answer.body


def click(
    of: Target,
    x: float,
    y: float,
    *,
    button: Button | None = None,
    clicks: int | None = None,
    keys: Sequence[str] | None = None,
    scale: float | None = None,
    settle: Settle = None,
) -> Flow[Settled]:
    """Clicks; `keys` are held meanwhile, `scale` is that of the screenshot x and y are from."""
    body = given(x=x, y=y, button=button, clicks=clicks, keys=keys, scale=scale)
    return _act(of, "click", body, settle)


def move(
    of: Target, x: float, y: float, *, scale: float | None = None, settle: Settle = None
) -> Flow[Settled]:
    """Moves the pointer."""
    return _act(of, "move", given(x=x, y=y, scale=scale), settle)


def drag(
    of: Target,
    start: tuple[float, float],
    end: tuple[float, float],
    *,
    path: Sequence[tuple[float, float]] | None = None,
    button: Button | None = None,
    duration: float | None = None,
    scale: float | None = None,
    settle: Settle = None,
) -> Flow[Settled]:
    """Presses at `start`, moves along `path` within `duration` seconds, releases at `end`."""
    ends = given(start_x=start[0], start_y=start[1], end_x=end[0], end_y=end[1])
    body = {**ends, **given(path=path, button=button, duration=duration, scale=scale)}
    return _act(of, "drag", body, settle, duration or 0)


def scroll(
    of: Target,
    direction: Literal["up", "down", "left", "right"],
    amount: int | None = None,
    *,
    x: float | None = None,
    y: float | None = None,
    scale: float | None = None,
    settle: Settle = None,
) -> Flow[Settled]:
    """Turns the wheel by `amount` steps, 3 by default, at the pointer or at x and y."""
    body = given(direction=direction, amount=amount, x=x, y=y, scale=scale)
    return _act(of, "scroll", body, settle)


def type_text(
    of: Target, text: str, *, delay_ms: int | None = None, settle: Settle = None
) -> Flow[Settled]:
    """Types any Unicode text; a newline is Enter, a tab is Tab."""
    work = len(text) * (2 if delay_ms is None else delay_ms) / 1000
    return _act(of, "type", given(text=text, delay_ms=delay_ms), settle, work)


def key(
    of: Target, key: str, *, hold_ms: int | None = None, settle: Settle = None
) -> Flow[Settled]:
    """Presses a key or a combination, for example `Enter` or `ctrl+shift+t`."""
    return _act(of, "key", given(key=key, hold_ms=hold_ms), settle)


def wait(
    of: Target,
    seconds: float | None = None,
    *,
    until: Literal["stable", "change"] | None = None,
    region: Region | None = None,
    timeout: float | None = None,
) -> Flow[WaitResult]:
    """Waits for a time, or at most `timeout` seconds until the screen is stable or changes."""
    body = given(seconds=seconds, until=until, region=region, timeout=timeout)
    work = max(seconds or 0, timeout or WAIT_SECONDS)
    return parse(WaitResult, (yield from of.ask("POST", "/wait", body, work=work)))


def clipboard(of: Target) -> Flow[str]:
    """The text of the clipboard; empty if nothing has been copied."""
    return str((yield from of.ask("GET", "/clipboard"))["text"])


def set_clipboard(of: Target, text: str) -> Flow[None]:
    """Sets the text of the clipboard."""
    yield from of.ask("PUT", "/clipboard", {"text": text})


def batch(of: Target, actions: Sequence[Mapping[str, Any]]) -> Flow[BatchResult]:
    """
    Runs actions in one request, without other clients' input between them, up to the first failure:
    `[{"action": "click", "x": 1, "y": 2}, {"action": "screenshot"}]`, fields as in docs/http.md.
    """
    body = {"actions": [dict(action) for action in actions]}
    answer = yield from of.ask("POST", "/batch", body, work=sum(map(_seconds, actions)))
    return parse(BatchResult, answer)


def bash(
    of: Target,
    command: str,
    *,
    timeout: float | None = None,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    check: bool = False,
) -> Flow[CommandResult]:
    """
    Runs a command line in a shell and waits until it ends, at most `timeout` seconds (200 by
    default). With `check`, a command that fails raises a CommandError.
    """
    body = given(command=command, timeout=timeout, cwd=cwd, env=env and dict(env))
    answer = yield from of.ask("POST", "/bash", body, work=timeout or BASH_SECONDS)
    result = parse(CommandResult, answer)
    if check and (result.timed_out or result.exit_code != 0):
        raise CommandError(result)
    return result


def python(
    of: Target, code: str, *, timeout: float | None = None, check: bool = False
) -> Flow[PythonResult]:
    """Runs Python 3 code in the computer, at most `timeout` seconds (10 by default)."""
    body = given(code=code, timeout=timeout)
    answer = yield from of.ask("POST", "/exec", body, work=timeout or PYTHON_SECONDS)
    result = parse(PythonResult, answer)
    if check and not result.success:
        raise CommandError(result)
    return result


def _act(
    of: Target, name: str, body: dict[str, Any], settle: Settle, work: float = 0
) -> Flow[Settled]:
    if isinstance(settle, tuple):
        body["settle"] = {"quiet_ms": settle[0], "max_ms": settle[1]}
    elif settle is not None:
        body["settle"] = settle
    return parse(Settled, (yield from of.ask("POST", f"/{name}", body, work=work)))


def _seconds(action: Mapping[str, Any]) -> float:
    """At most how long a step of a batch takes."""
    default = BASH_SECONDS if action.get("action") == "bash" else WAIT_SECONDS
    return default + sum(float(action.get(name) or 0) for name in ("timeout", "duration", "seconds"))
