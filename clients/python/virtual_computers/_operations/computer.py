"""Starting, changing and removing one computer; generators for both clients, see _requests.py."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any, Literal, Mapping, Sequence
from urllib.parse import unquote

from .._errors import ComputerStartError, ServiceError
from .._models import (
    ComputerInfo,
    ControlState,
    Publication,
    Resolution,
    Snapshot,
    Stats,
    Trajectory,
    View,
    parse,
    size_text,
)
from .._requests import Flow, Session, call, call_json, given, late, segment

START_SECONDS = 600.0
"""Time for a computer to start if the client has no `request_timeout`."""
LONGEST_POLL_SECONDS = 2.0
SAVE_SECONDS = 600.0
"""Time to save a disk."""


@dataclass(frozen=True)
class Target:
    """A computer of a session."""

    session: Session
    path: str
    """`/computers/{id}` or `/projects/{project}/computers/{name}`."""
    id: str | None = None
    name: str | None = None
    """One of them, as it was given."""

    def ask(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        params: Mapping[str, Any] | None = None,
        work: float = 0,
    ) -> Flow[dict[str, Any]]:
        """Runs one of its operations."""
        return call_json(self.session, method, self.path + path, body, params=params, work=work)


def path_of(project: str | None, name: str | None, id: str | None) -> str:
    if id is not None and project is None and name is None:
        return f"/computers/{segment(id)}"
    if id is None and project is not None and name is not None:
        return f"/projects/{segment(project)}/computers/{segment(name)}"
    raise TypeError("a computer is named by its project and name, or by its id")


def target_of(session: Session, project: str | None, name: str | None, id: str | None) -> Target:
    return Target(session, path_of(project, name, id), id, name)


def reference(of: Target) -> str:
    """The computer as one word: its id, or `PROJECT/NAME`."""
    return "/".join(unquote(part) for part in of.path.split("/")[2::2])


def until_ready(
    session: Session, path: str, body: Mapping[str, Any] | None, *, wait: bool
) -> Flow[ComputerInfo]:
    """Sends a request that starts a computer, and waits until it can be used."""
    [computer] = yield from all_ready(session, path, body, wait=wait)
    return computer


def all_ready(
    session: Session,
    path: str,
    body: Mapping[str, Any] | None,
    *,
    wait: bool,
    usable: Sequence[str] = ("running",),
    passing: Sequence[str] = ("starting",),
) -> Flow[list[ComputerInfo]]:
    """The same for a request that may start several."""
    limit = START_SECONDS if session.request_timeout is None else session.request_timeout
    deadline = time.monotonic() + limit
    limited = replace(session, request_timeout=limit)
    params = {"wait": "1" if wait else "0"}
    begun = yield from call_json(limited, "POST", path, body, params=params)
    ready = []
    for answer in begun.get("computers", [begun]):
        pause = 0.25
        # The service itself answers after a minute.
        while wait and answer["status"] in passing:
            left = deadline - time.monotonic()
            if left <= pause:
                raise late(session.settings.base_url)
            yield pause
            pause = min(pause * 1.5, LONGEST_POLL_SECONDS)
            limited = replace(session, request_timeout=left)
            answer = yield from call_json(limited, "GET", path_of(None, None, answer["id"]))
        computer = ComputerInfo.of(answer)
        if wait and computer.status not in usable:
            raise ComputerStartError(computer)
        ready.append(computer)
    return ready


def fork(
    of: Target, names: str | Sequence[str], *, snapshot: str | None, wait: bool
) -> Flow[list[ComputerInfo]]:
    """Copies it once or several times."""
    one, several = (names, None) if isinstance(names, str) else (None, list(names))
    body = given(name=one, names=several, snapshot=snapshot)
    # The copy of a stopped computer is stopped.
    usable = ("running", "stopped")
    return all_ready(of.session, f"{of.path}/fork", body, wait=wait, usable=usable)


def reset(of: Target, snapshot: str | None = None, *, wait: bool = True) -> Flow[ComputerInfo]:
    """
    Goes back to a snapshot, or without one to the moment after its creation; what was done since is
    lost. Waits until it can be used, if it ran before.
    """
    body, path = given(snapshot=snapshot), f"{of.path}/reset"
    usable, passing = ("running", "stopped"), ("starting", "stopping")
    [computer] = yield from all_ready(
        of.session, path, body, wait=wait, usable=usable, passing=passing
    )
    return computer


def create_snapshot(
    of: Target, name: str | None = None, *, memory: bool | None = None
) -> Flow[Snapshot]:
    """
    Saves the disk and, where the engine can, the memory of a computer, which keeps running. Without a
    name it is `snap-1`, `snap-2`, …
    """
    body = given(name=name, memory=memory)
    return parse(Snapshot, (yield from of.ask("POST", "/snapshots", body, work=SAVE_SECONDS)))


def list_snapshots(of: Target) -> Flow[list[Snapshot]]:
    """The oldest first."""
    answer = yield from of.ask("GET", "/snapshots")
    return [parse(Snapshot, one) for one in answer["snapshots"]]


def delete_snapshot(of: Target, name: str) -> Flow[None]:
    """Deletes a snapshot. Those that were made after it stay."""
    yield from of.ask("DELETE", f"/snapshots/{segment(name)}")


def start(of: Target, *, wait: bool = True) -> Flow[ComputerInfo]:
    """Starts it and waits until it can be used."""
    return until_ready(of.session, f"{of.path}/start", None, wait=wait)


def restart(of: Target, *, wait: bool = True) -> Flow[ComputerInfo]:
    """Stops and starts it and waits until it can be used."""
    return until_ready(of.session, f"{of.path}/restart", None, wait=wait)


def stop(of: Target) -> Flow[ComputerInfo]:
    """Ends its processes; the disk stays."""
    return ComputerInfo.of((yield from of.ask("POST", "/stop")))


def get(of: Target) -> Flow[ComputerInfo]:
    """Asks for its properties and status."""
    return ComputerInfo.of((yield from of.ask("GET", "")))


def update(
    of: Target,
    *,
    name: str | None = None,
    cpu: Literal[2, 4, 8] | None = None,
    ram: Literal[2, 4, 8] | None = None,
    resolution: str | tuple[int, int] | Resolution | None = None,
    protected: bool | None = None,
    auto_stop_minutes: int | Literal["never"] | None = None,
    on_idle: Literal["stop", "delete"] | None = None,
    expires_at: str | None = None,
    labels: Mapping[str, str | None] | None = None,
    env: Mapping[str, str | None] | None = None,
) -> Flow[ComputerInfo]:
    """
    Renames or protects it, or sets its size, auto-stop, expiry, labels or variables; what is left out
    stays as it is. `pending` of the answer is what it has from its next start on. `resolution` is like
    "1920x1080" or (1920, 1080). `expires_at` is in RFC 3339, or "never". A label or variable that is None is removed.
    """
    body = given(name=name, protected=protected, on_idle=on_idle, labels=labels, env=env)
    body.update(given(cpu=cpu, ram=ram, resolution=size_text(resolution)))
    body.update(given(auto_stop_minutes=auto_stop_minutes, expires_at=expires_at))
    for field in ("auto_stop_minutes", "expires_at"):
        if body.get(field) == "never":
            body[field] = None
    return ComputerInfo.of((yield from of.ask("PATCH", "", body)))


def delete(of: Target) -> Flow[None]:
    """Deletes it and its disk permanently."""
    yield from of.ask("DELETE", "")


def delete_if_there(of: Target) -> Flow[None]:
    try:
        yield from delete(of)
    except ServiceError as error:
        if error.status != 404:
            raise


def stats(of: Target) -> Flow[Stats]:
    """What it uses of its host while it runs."""
    return parse(Stats, (yield from of.ask("GET", "/stats")))


def stats_history(of: Target) -> Flow[dict[str, Any]]:
    """What it used in the last hour, by the measurements of the service every 30 seconds."""
    return (yield from of.ask("GET", "/stats/history"))


def network(of: Target) -> Flow[dict[str, Any]]:
    """What it may reach, and the names that it was refused."""
    return (yield from of.ask("GET", "/network"))


def view(of: Target, mode: Literal["control", "view"] = "control") -> Flow[View]:
    """A link to the live view for a browser; it opens once, within a minute."""
    answer = yield from of.ask("POST", "/view", {"mode": mode})
    # The service may see another address behind a proxy.
    _, found, rest = answer["url"].partition("/view/")
    url = f"{of.session.settings.base_url}/view/{rest}" if found else answer["url"]
    return View(url, answer["expires_at"])


def browser(
    of: Target,
    *,
    url: str | None = None,
    args: Sequence[str] | None = None,
    profile: Literal["kept", "temporary"] | None = None,
) -> Flow[str]:
    """
    Opens the browser for a client of the Chrome DevTools Protocol, such as Playwright:
    `chromium.connect_over_cdp(desk.browser())`. The address is for one connection.
    """
    body = given(url=url, args=args and list(args), profile=profile)
    address: str = (yield from of.ask("POST", "/browser", body))["ws_url"]
    # The service may see another address behind a proxy.
    _, found, rest = address.partition("/computers/")
    base = of.session.settings.base_url.replace("http", "ws", 1)
    return f"{base}/computers/{rest}" if found else address


def publish(
    of: Target, port: int, *, public: bool | None = None, expires_in: int | None = None
) -> Flow[Publication]:
    """
    Gives a port of its loopback an address, for HTTP and WebSockets. The `link` has a ticket, which is
    shown only once; `public` needs none. It ends after `expires_in` seconds.
    """
    body = given(port=port, public=public, expires_in=expires_in)
    return parse(Publication, (yield from of.ask("POST", "/publications", body)))


def unpublish(of: Target, port: int) -> Flow[None]:
    """Ends the publication of a port, with its open connections."""
    yield from of.ask("DELETE", f"/publications/{port}")


def start_stream(
    of: Target,
    connection: str | None = None,
    *,
    url: str | None = None,
    fps: Literal[15, 30, 60] | None = None,
    bitrate: int | None = None,
    audio: bool | None = None,
) -> Flow[dict[str, Any]]:
    """
    Streams the screen to a saved RTMP target, or to a URL; returns when the first frame is sent.
    With `audio`, the stream has the sound of the computer.
    """
    body = given(connection_name=connection, url=url, fps=fps, bitrate=bitrate, audio=audio)
    return (yield from of.ask("POST", "/stream/start", body))


def stream_status(of: Target) -> Flow[dict[str, Any]]:
    """Whether its screen is streamed, and since when."""
    return (yield from of.ask("GET", "/stream/status"))


def stop_stream(of: Target) -> Flow[None]:
    """Ends the stream; has no effect if there is none."""
    yield from of.ask("POST", "/stream/stop")


def control(of: Target) -> Flow[ControlState]:
    """Who has control alone."""
    return ControlState.of((yield from of.ask("GET", "/control")))


def take_control(of: Target, *, force: bool = False) -> Flow[ControlState]:
    """
    Takes control, or renews it: input of all others is refused. It ends a minute after the last input
    of the key. `force` takes it from another.
    """
    return ControlState.of((yield from of.ask("POST", "/control", {"force": force})))


def release_control(of: Target) -> Flow[None]:
    """Gives control back; no effect if nobody has it, `controlled` if another has."""
    yield from of.ask("DELETE", "/control")


def start_trajectory(
    of: Target, *, max_seconds: int | None = None, snapshot_every: int | None = None
) -> Flow[Trajectory]:
    """
    Starts to record the actions of every client, for an hour unless `max_seconds` says otherwise.
    After each `snapshot_every` steps a snapshot `step-N` is made.
    """
    snapshots = None if snapshot_every is None else {"every": snapshot_every}
    body = given(max_seconds=max_seconds, snapshots=snapshots)
    return parse(Trajectory, (yield from of.ask("POST", "/trajectory", body)))


def trajectory(of: Target) -> Flow[Trajectory]:
    """Its recorded actions; `save_trajectory` gets the files."""
    return parse(Trajectory, (yield from of.ask("GET", "/trajectory")))


def trajectory_steps(
    of: Target, *, offset: int | None = None, limit: int | None = None
) -> Flow[dict[str, Any]]:
    """Some of its recorded actions, in `steps`; continue at `next_offset`."""
    return (yield from of.ask("GET", "/trajectory/steps", params=given(offset=offset, limit=limit)))


def trajectory_picture(of: Target, name: str) -> Flow[bytes]:
    """A picture of a step as PNG, by its name in `before` or `after`."""
    path = f"{of.path}/trajectory/pictures/{segment(name.removeprefix('pictures/'))}"
    return (yield from call(of.session, "GET", path, accept="image/png")).body


def end_trajectory(of: Target) -> Flow[Trajectory]:
    """Ends the recording; no effect on one that has ended."""
    return parse(Trajectory, (yield from of.ask("POST", "/trajectory/end")))


def delete_trajectory(of: Target) -> Flow[None]:
    """Ends the recording and removes it."""
    yield from of.ask("DELETE", "/trajectory")


def history(
    of: Target, *, limit: int | None = None, before: int | None = None
) -> Flow[list[dict[str, Any]]]:
    """Its audit log, newest first."""
    answer = yield from of.ask("GET", "/actions", params={"limit": limit, "before": before})
    return list(answer["actions"])
