"""Screen, mouse, keyboard and commands; generators for both clients, see _requests.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Mapping, Sequence, Union

from .computer import Target
from .._errors import CommandError
from .._models import BatchResult, CommandResult, Element, Elements, MarkedScreenshot, PythonResult
from .._models import Settled, WaitResult, parse
from .._requests import Flow, call, given

Button = Literal["left", "right", "middle", "back", "forward"]
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
    params = _picture(region, settle, format=format, quality=quality, scale=scale, cursor=cursor)
    url, accept = f"{of.path}/screenshot", f"image/{format}"
    answer = yield from call(of.session, "GET", url, params=params, accept=accept)
    if path is not None:
        Path(path).write_bytes(answer.body)
    return answer.body


def marked_screenshot(
    of: Target,
    path: StrPath | None = None,
    *,
    format: Literal["png", "jpeg", "webp"] = "png",
    quality: int | None = None,
    scale: float | None = None,
    region: Region | None = None,
    cursor: bool | None = None,
    settle: Settle = None,
) -> Flow[MarkedScreenshot]:
    """
    Takes a screenshot with numbered boxes around the elements that can be clicked, and lists them:
    `click_mark` takes the numbers. Writes the image to `path`.
    """
    params = _picture(region, settle, format=format, quality=quality, scale=scale, cursor=cursor)
    answer = yield from of.ask("GET", "/screenshot", params={**params, "marks": True})
    taken = MarkedScreenshot.of(answer)
    if path is not None:
        Path(path).write_bytes(taken.image)
    return taken


def _picture(region: Region | None, settle: Settle, **fields: Any) -> dict[str, Any]:
    return {
        **given(**fields),
        "region": region and ",".join(map(str, region)),
        "settle": ",".join(map(str, settle)) if isinstance(settle, tuple) else settle,
    }


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


def click_element(
    of: Target,
    element: str | Element,
    *,
    button: Button | None = None,
    clicks: int | None = None,
    keys: Sequence[str] | None = None,
    settle: Settle = None,
) -> Flow[Settled]:
    """Clicks in the middle of an element, which `elements` or `find` has listed."""
    id = element if isinstance(element, str) else element.id
    return _act(of, "click", given(element=id, button=button, clicks=clicks, keys=keys), settle)


def click_mark(
    of: Target,
    mark: int,
    frame: str | None = None,
    *,
    button: Button | None = None,
    clicks: int | None = None,
    keys: Sequence[str] | None = None,
    settle: Settle = None,
) -> Flow[Settled]:
    """
    Clicks in the middle of the element with this number in a picture of `marked_screenshot`: that of
    `frame`, or the last one. Raises `stale_frame` if the element is gone, has moved or changed since.
    """
    body = given(mark=mark, frame=frame, button=button, clicks=clicks, keys=keys)
    return _act(of, "click", body, settle)


def elements(of: Target, limit: int | None = None) -> Flow[Elements]:
    """The elements on the screen: buttons, fields, links, texts; those of the active window first."""
    return Elements.of((yield from of.ask("GET", "/elements", params=given(limit=limit))))


def find(
    of: Target,
    text: str | None = None,
    *,
    role: str | None = None,
    name: str | None = None,
    source: Literal["elements", "text"] | None = None,
    limit: int | None = None,
) -> Flow[Elements]:
    """Finds elements on the screen; all given conditions must hold.

    A text that no element has is read in the picture of the screen; `source` allows one of both.
    """
    body = given(text=text, role=role, name=name, source=source, limit=limit)
    return Elements.of((yield from of.ask("POST", "/find", body)))


def move(
    of: Target,
    x: float,
    y: float,
    *,
    keys: Sequence[str] | None = None,
    scale: float | None = None,
    settle: Settle = None,
) -> Flow[Settled]:
    """Moves the pointer."""
    return _act(of, "move", given(x=x, y=y, keys=keys, scale=scale), settle)


def drag(
    of: Target,
    start: tuple[float, float],
    end: tuple[float, float],
    *,
    path: Sequence[tuple[float, float]] | None = None,
    button: Button | None = None,
    duration: float | None = None,
    keys: Sequence[str] | None = None,
    scale: float | None = None,
    settle: Settle = None,
) -> Flow[Settled]:
    """Presses at `start`, moves along `path` within `duration` seconds, releases at `end`."""
    ends = given(start_x=start[0], start_y=start[1], end_x=end[0], end_y=end[1])
    body = {**ends, **given(path=path, button=button, duration=duration, keys=keys)}
    body.update(given(scale=scale))
    return _act(of, "drag", body, settle, duration or 0)


def scroll(
    of: Target,
    direction: Literal["up", "down", "left", "right"] | None = None,
    amount: int | None = None,
    *,
    delta_x: float | None = None,
    delta_y: float | None = None,
    x: float | None = None,
    y: float | None = None,
    keys: Sequence[str] | None = None,
    scale: float | None = None,
    settle: Settle = None,
) -> Flow[Settled]:
    """
    Turns the wheel by `amount` steps, 3 by default, at the pointer or at x and y; or scrolls by
    `delta_x` and `delta_y` in pixels, without a direction.
    """
    body = given(direction=direction, amount=amount, delta_x=delta_x, delta_y=delta_y)
    body.update(given(x=x, y=y, keys=keys, scale=scale))
    return _act(of, "scroll", body, settle)


def mouse_down(
    of: Target,
    x: float | None = None,
    y: float | None = None,
    *,
    button: Button | None = None,
    keys: Sequence[str] | None = None,
    scale: float | None = None,
    settle: Settle = None,
) -> Flow[Settled]:
    """Presses a button, which stays pressed until `mouse_up`; for 60 s without an action."""
    body = given(x=x, y=y, button=button, keys=keys, scale=scale)
    return _act(of, "mouse-down", body, settle)


def mouse_up(
    of: Target,
    x: float | None = None,
    y: float | None = None,
    *,
    button: Button | None = None,
    keys: Sequence[str] | None = None,
    scale: float | None = None,
    settle: Settle = None,
) -> Flow[Settled]:
    """Releases a button."""
    body = given(x=x, y=y, button=button, keys=keys, scale=scale)
    return _act(of, "mouse-up", body, settle)


def cursor(of: Target) -> Flow[tuple[int, int]]:
    """Where the pointer was last moved to by a client of the service."""
    answer = yield from of.ask("GET", "/cursor")
    return int(answer["x"]), int(answer["y"])


def type_text(
    of: Target,
    text: str,
    *,
    delay_ms: int | None = None,
    secrets: Sequence[str] | None = None,
    settle: Settle = None,
) -> Flow[Settled]:
    """
    Types any Unicode text; a newline is Enter, a tab is Tab. `{{secret:NAME}}` is the value of a secret
    that `secrets` names.
    """
    work = len(text) * (2 if delay_ms is None else delay_ms) / 1000
    return _act(of, "type", given(text=text, delay_ms=delay_ms, secrets=secrets), settle, work)


def key(
    of: Target,
    key: str,
    *,
    hold_ms: int | None = None,
    repeat: int | None = None,
    settle: Settle = None,
) -> Flow[Settled]:
    """Presses a key or a combination, for example `Enter` or `ctrl+shift+t`."""
    work = (hold_ms or 0) * (repeat or 1) / 1000
    return _act(of, "key", given(key=key, hold_ms=hold_ms, repeat=repeat), settle, work)


def key_down(of: Target, key: str, *, settle: Settle = None) -> Flow[Settled]:
    """Presses keys, which stay pressed until `key_up`; for 60 s without an action."""
    return _act(of, "key-down", given(key=key), settle)


def key_up(of: Target, key: str, *, settle: Settle = None) -> Flow[Settled]:
    """Releases keys."""
    return _act(of, "key-up", given(key=key), settle)


def wait(
    of: Target,
    seconds: float | None = None,
    *,
    until: Literal["stable", "change"] | Mapping[str, Any] | None = None,
    region: Region | None = None,
    timeout: float | None = None,
) -> Flow[WaitResult]:
    """
    Waits for a time, or at most `timeout` seconds until the screen is stable or changes, or until a
    condition holds: `{"window": "Saved"}`, `{"port": 8000}`, fields as in docs/http.md.
    """
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


def computer_use(
    of: Target,
    items: Sequence[Any],
    *,
    dialect: str | None = None,
    acknowledge: Sequence[str] | None = None,
    secrets: Sequence[str] | None = None,
    format: Literal["png", "jpeg", "webp"] | None = None,
    max_edge: int | None = None,
    settle: bool | None = None,
    run: str | None = None,
) -> Flow[dict[str, Any]]:
    """
    Carries out the calls of a model's turn, in the shape of its vendor. `results` of the answer has
    the result items in that shape, `confirm` the safety checks that a person has to confirm. A call
    whose id was answered in the same `run` in the last 10 minutes is not carried out again; the
    answer then has `replayed`.
    """
    body = {"items": list(items), **given(dialect=dialect, acknowledge=acknowledge, run=run)}
    body.update(given(format=format, max_edge=max_edge, settle=settle, secrets=secrets))
    answer = yield from of.ask("POST", "/computer-use", body, work=900)
    return dict(answer)


def computer_use_tools(of: Target, dialect: str) -> Flow[list[Any]]:
    """The tools to declare to a model of that dialect."""
    answer = yield from of.ask("GET", "/computer-use", params={"dialect": dialect})
    return list(answer["tools"])


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
    held = float(action.get("hold_ms") or 0) * float(action.get("repeat") or 1) / 1000
    times = (float(action.get(name) or 0) for name in ("timeout", "duration", "seconds"))
    return default + held + sum(times)
