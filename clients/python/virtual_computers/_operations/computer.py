"""Starting, changing and removing one computer; generators for both clients, see _requests.py."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any, Literal, Mapping

from .._errors import ComputerStartError, ServiceError
from .._models import ComputerInfo, ControlState, Stats, Trajectory, View, parse
from .._requests import Flow, Session, call_json, given, late, segment

START_SECONDS = 600.0
"""Time for a computer to start if the client has no `request_timeout`."""
LONGEST_POLL_SECONDS = 2.0


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


def until_ready(
    session: Session, path: str, body: Mapping[str, Any] | None, *, wait: bool
) -> Flow[ComputerInfo]:
    """Sends a request that starts a computer, and waits until it can be used."""
    limit = START_SECONDS if session.request_timeout is None else session.request_timeout
    deadline = time.monotonic() + limit
    limited = replace(session, request_timeout=limit)
    params = {"wait": "1" if wait else "0"}
    answer = yield from call_json(limited, "POST", path, body, params=params)
    pause = 0.25
    # The service itself answers after a minute.
    while wait and answer["status"] == "starting":
        left = deadline - time.monotonic()
        if left <= pause:
            raise late(session.settings.base_url)
        yield pause
        pause = min(pause * 1.5, LONGEST_POLL_SECONDS)
        limited = replace(session, request_timeout=left)
        answer = yield from call_json(limited, "GET", path_of(None, None, answer["id"]))
    computer = ComputerInfo.of(answer)
    # The copy of a stopped computer is stopped.
    usable = ("running", "stopped") if path.endswith("/fork") else ("running",)
    if wait and computer.status not in usable:
        raise ComputerStartError(computer)
    return computer


def fork(of: Target, name: str, *, wait: bool = True) -> Flow[ComputerInfo]:
    """Copies it with its disk and, when it runs, its memory; waits until the copy can be used."""
    return until_ready(of.session, f"{of.path}/fork", {"name": name}, wait=wait)


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
    protected: bool | None = None,
    auto_stop_minutes: int | Literal["never"] | None = None,
) -> Flow[ComputerInfo]:
    """Renames or protects it, or sets its auto-stop; what is left out stays as it is."""
    body = given(name=name, protected=protected, auto_stop_minutes=auto_stop_minutes)
    if auto_stop_minutes == "never":
        body["auto_stop_minutes"] = None
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


def view(of: Target, mode: Literal["control", "view"] = "control") -> Flow[View]:
    """A link to the live view for a browser; it opens once, within a minute."""
    answer = yield from of.ask("POST", "/view", {"mode": mode})
    # The service may see another address behind a proxy.
    _, found, rest = answer["url"].partition("/view/")
    url = f"{of.session.settings.base_url}/view/{rest}" if found else answer["url"]
    return View(url, answer["expires_at"])


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


def start_trajectory(of: Target, *, max_seconds: int | None = None) -> Flow[Trajectory]:
    """Starts to record the actions of every client, for an hour unless `max_seconds` says otherwise."""
    body = given(max_seconds=max_seconds)
    return parse(Trajectory, (yield from of.ask("POST", "/trajectory", body)))


def trajectory(of: Target) -> Flow[Trajectory]:
    """Its recorded actions; `save_trajectory` gets the files."""
    return parse(Trajectory, (yield from of.ask("GET", "/trajectory")))


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
