"""Projects, computers, keys and owners; generators for both clients, see _requests.py."""

from __future__ import annotations

from base64 import b64encode
from typing import Any, Literal, Mapping, Sequence

from .computer import SAVE_SECONDS, Target, path_of, reference, until_ready
from .._models import ComputerInfo, Connection, Delivery, Image, Key, Me, Owner, Project
from .._models import Publication, Resolution, Run, Secret, Status, TaskStatus, Volume, Webhook
from .._models import parse, size_text
from .._requests import Flow, Session, call, call_json, given, segment

# Projects.


def create_project(of: Session, name: str) -> Flow[Project]:
    """Creates a project."""
    return Project.of((yield from call_json(of, "POST", "/projects", {"name": name})))


def list_projects(of: Session) -> Flow[list[Project]]:
    """All projects of the key's owner."""
    return [Project.of(one) for one in (yield from call_json(of, "GET", "/projects"))["projects"]]


def get_project(of: Session, project: str) -> Flow[Project]:
    """A project, by its name or id, with its computers."""
    return Project.of((yield from call_json(of, "GET", f"/projects/{segment(project)}")))


def rename_project(of: Session, project: str, name: str) -> Flow[Project]:
    """Renames a project. Its computers keep their ids and continue to run."""
    path = f"/projects/{segment(project)}"
    return Project.of((yield from call_json(of, "PATCH", path, {"name": name})))


def delete_project(of: Session, project: str) -> Flow[None]:
    """Deletes a project, its computers and their disks permanently."""
    yield from call_json(of, "DELETE", f"/projects/{segment(project)}", work=600)


def start_project(of: Session, project: str) -> Flow[list[dict[str, Any]]]:
    """Starts its computers; `id`, `status` and, if it failed, `error` of each."""
    return _each(of, project, "start")


def stop_project(of: Session, project: str) -> Flow[list[dict[str, Any]]]:
    """Stops its computers; the disks stay."""
    return _each(of, project, "stop")


def restart_project(of: Session, project: str) -> Flow[list[dict[str, Any]]]:
    """Stops and starts its computers."""
    return _each(of, project, "restart")


def _each(of: Session, project: str, step: str) -> Flow[list[dict[str, Any]]]:
    path = f"/projects/{segment(project)}/{step}"
    return list((yield from call_json(of, "POST", path, work=600))["computers"])


# Computers.


def create_computer(
    of: Session,
    project: str,
    name: str,
    *,
    cpu: Literal[2, 4, 8] | None = None,
    ram: Literal[2, 4, 8] | None = None,
    resolution: str | tuple[int, int] | Resolution | None = None,
    image: str | None = None,
    engine: str | None = None,
    member: str | None = None,
    group: str | None = None,
    os: Literal["linux", "windows"] | None = None,
    auto_stop_minutes: int | None = None,
    on_idle: Literal["stop", "delete"] | None = None,
    expires_in: int | None = None,
    labels: Mapping[str, str] | None = None,
    protected: bool | None = None,
    env: Mapping[str, str] | None = None,
    files: Mapping[str, str | bytes] | Sequence[Mapping[str, str]] | None = None,
    setup: str | None = None,
    timezone: str | None = None,
    locale: str | None = None,
    sudo: bool | None = None,
    volumes: Sequence[str | Mapping[str, Any]] | None = None,
    wait: bool = True,
) -> Flow[ComputerInfo]:
    """
    Creates a computer in a project and waits until it can be used. Raises a ComputerStartError if it
    does not start. `ram` is in GB; `resolution` is like "1280x800" or (1280, 800). It is deleted after
    `expires_in` seconds; `on_idle` says what happens after `auto_stop_minutes`. `files` has contents
    by path, or dictionaries like `{"path": ..., "content": ..., "mode": "0600"}`; `setup` is a bash
    script that is run once before the computer is ready. `volumes` are mounted: "data:/data", and
    "data:/data:ro" for one that the computer only reads.
    """
    size = given(cpu=cpu, ram=ram, resolution=size_text(resolution), image=image, engine=engine, os=os)
    idle = given(auto_stop_minutes=auto_stop_minutes, on_idle=on_idle, expires_in=expires_in)
    others = {**given(name=name, labels=labels, protected=protected), **idle}
    where = given(member=member, group=group, timezone=timezone, locale=locale, sudo=sudo)
    if isinstance(files, Mapping):
        files = [new_file(file, content) for file, content in files.items()]
    made_with = given(env=env, files=files, setup=setup, volumes=volumes)
    path = f"/projects/{segment(project)}/computers"
    return (yield from until_ready(of, path, {**others, **size, **where, **made_with}, wait=wait))


def new_file(path: str, content: str | bytes) -> dict[str, str]:
    if isinstance(content, str):
        return {"path": path, "content": content}
    return {"path": path, "content_base64": b64encode(content).decode()}


def list_computers(
    of: Session,
    project: str,
    *,
    labels: Mapping[str, str | None] | None = None,
    status: Status | Sequence[Status] | None = None,
) -> Flow[list[ComputerInfo]]:
    """
    The computers of a project; with `labels` only those that have all of them. None stands for any
    value. With `status` only those with that status, or one of several.
    """
    path = f"/projects/{segment(project)}/computers"
    params = {"label": _labels(labels), "status": status}
    answer = yield from call_json(of, "GET", path, params=params)
    return [ComputerInfo.of(one) for one in answer["computers"]]


def list_all_computers(
    of: Session,
    *,
    labels: Mapping[str, str | None] | None = None,
    status: Status | Sequence[Status] | None = None,
) -> Flow[list[ComputerInfo]]:
    """The computers of all projects, the oldest first; `labels` and `status` as in `list`."""
    computers: list[ComputerInfo] = []
    cursor = None
    while True:
        params = {"limit": 1000, "cursor": cursor, "label": _labels(labels), "status": status}
        answer = yield from call_json(of, "GET", "/computers", params=params)
        computers.extend(ComputerInfo.of(one) for one in answer["computers"])
        cursor = answer["next_cursor"]
        if cursor is None:
            return computers


def _labels(labels: Mapping[str, str | None] | None) -> list[str]:
    wanted = (labels or {}).items()
    return [name if value is None else f"{name}={value}" for name, value in wanted]


def get_computer(
    of: Session, project: str | None = None, name: str | None = None, *, id: str | None = None
) -> Flow[ComputerInfo]:
    """The handle of a computer, by its project and name or by its id. It has to exist."""
    return ComputerInfo.of((yield from call_json(of, "GET", path_of(project, name, id))))


# Images.


def save_image(
    of: Session, name: str, computer: Target, *, snapshot: str | None, shared: bool
) -> Flow[Image]:
    """Saves a computer, or one of its snapshots, as an image of the owner or for all owners."""
    more = given(snapshot=snapshot, shared=shared or None)
    body = {"name": name, "computer": reference(computer), **more}
    return Image.of((yield from call_json(of, "POST", "/images", body, work=SAVE_SECONDS)))


def list_images(of: Session) -> Flow[list[Image]]:
    """The owner's images, shared ones, and those of every engine."""
    answer = yield from call_json(of, "GET", "/images")
    return [Image.of(one) for one in answer["images"]]


def get_image(of: Session, name: str) -> Flow[Image]:
    """An image by its name: the owner's own before a shared one, that before an engine's."""
    return Image.of((yield from call_json(of, "GET", f"/images/{segment(name)}")))


def image_log(of: Session, name: str) -> Flow[str]:
    """The log of the build that made an image; empty if it was not built from a Dockerfile."""
    path = f"/images/{segment(name)}/log"
    return (yield from call(of, "GET", path, accept="text/plain")).body.decode()


def delete_image(of: Session, name: str) -> Flow[None]:
    """Deletes an image of the owner, or a shared one. Fails while computers need it."""
    yield from call_json(of, "DELETE", f"/images/{segment(name)}")


def prune_images(of: Session) -> Flow[int]:
    """Removes the cache of the owner's builds. Returns the bytes that this freed."""
    answer = yield from call_json(of, "DELETE", "/build-cache", work=SAVE_SECONDS)
    return int(answer["bytes"])


# Volumes.


def create_volume(of: Session, name: str, *, engine: str | None = None) -> Flow[Volume]:
    """Creates an empty volume on an engine, by default the preferred one that has volumes."""
    body = given(name=name, engine=engine)
    return parse(Volume, (yield from call_json(of, "POST", "/volumes", body)))


def list_volumes(of: Session) -> Flow[list[Volume]]:
    """The owner's volumes."""
    answer = yield from call_json(of, "GET", "/volumes")
    return [parse(Volume, one) for one in answer["volumes"]]


def delete_volume(of: Session, name: str) -> Flow[None]:
    """Deletes a volume with its files. Fails while computers mount it."""
    yield from call_json(of, "DELETE", f"/volumes/{segment(name)}", work=SAVE_SECONDS)


# Published ports.


def list_publications(of: Session) -> Flow[list[Publication]]:
    """The published ports of all computers that the key reaches, without their tickets."""
    answer = yield from call_json(of, "GET", "/publications")
    return [parse(Publication, one) for one in answer["publications"]]


# Keys.


def create_key(
    of: Session,
    name: str,
    *,
    rights: Literal["look", "act", "manage"] | None = None,
    project: str | None = None,
    expires_at: str | None = None,
    max_computers: int | None = None,
    max_hours: int | None = None,
    max_actions: int | None = None,
) -> Flow[Key]:
    """
    Creates an API key, with all rights in all projects and without an end or budget by default.
    `expires_at` is in RFC 3339. Only this answer contains its text, in `key`.
    """
    body = given(name=name, rights=rights, project=project, expires_at=expires_at)
    budgets = given(max_computers=max_computers, max_hours=max_hours, max_actions=max_actions)
    return parse(Key, (yield from call_json(of, "POST", "/keys", {**body, **budgets})))


def list_keys(of: Session) -> Flow[list[Key]]:
    """The API keys of the key's owner, without their texts."""
    return [parse(Key, one) for one in (yield from call_json(of, "GET", "/keys"))["keys"]]


def update_key(of: Session, id: str, changes: Mapping[str, str | int | None]) -> Flow[Key]:
    """
    Changes the given fields of an API key: `name`, `rights`, `expires_at`, and the budgets
    `max_computers`, `max_hours` and `max_actions`; None for no end or budget.
    """
    return parse(Key, (yield from call_json(of, "PATCH", f"/keys/{segment(id)}", changes)))


def delete_key(of: Session, id: str) -> Flow[None]:
    """Revokes an API key."""
    yield from call_json(of, "DELETE", f"/keys/{segment(id)}")


# Saved connections.


def create_connection(
    of: Session, name: str, url: str, *, stream_key: str | None = None
) -> Flow[Connection]:
    """Saves an RTMP target. The stream key is never shown again."""
    body = given(name=name, url=url, stream_key=stream_key)
    return parse(Connection, (yield from call_json(of, "POST", "/connections", body)))


def list_connections(of: Session) -> Flow[list[Connection]]:
    """The saved targets of streams."""
    answer = yield from call_json(of, "GET", "/connections")
    return [parse(Connection, one) for one in answer["connections"]]


def delete_connection(of: Session, name: str) -> Flow[None]:
    """Removes a saved target. A stream that uses it keeps running."""
    yield from call_json(of, "DELETE", f"/connections/{segment(name)}")


# Webhooks.


def create_webhook(of: Session, url: str, events: Sequence[str]) -> Flow[Webhook]:
    """
    Posts events of these types to a URL: types as in `vc.events()`, `computer.*`, or `*`. Only this
    answer contains the secret of the signatures.
    """
    body = {"url": url, "events": list(events)}
    return parse(Webhook, (yield from call_json(of, "POST", "/webhooks", body)))


def list_webhooks(of: Session) -> Flow[list[Webhook]]:
    """The webhooks of the key's owner, without their secrets."""
    answer = yield from call_json(of, "GET", "/webhooks")
    return [parse(Webhook, one) for one in answer["webhooks"]]


def get_webhook(of: Session, id: str) -> Flow[Webhook]:
    """A webhook, without its secret."""
    return parse(Webhook, (yield from call_json(of, "GET", f"/webhooks/{segment(id)}")))


def test_webhook(of: Session, id: str) -> Flow[Delivery]:
    """Posts an event of the type `test` once; the result says how that went."""
    return parse(Delivery, (yield from call_json(of, "POST", f"/webhooks/{segment(id)}/test")))


def list_deliveries(of: Session, id: str) -> Flow[list[Delivery]]:
    """The newest deliveries of a webhook first."""
    answer = yield from call_json(of, "GET", f"/webhooks/{segment(id)}/deliveries")
    return [parse(Delivery, one) for one in answer["deliveries"]]


def delete_webhook(of: Session, id: str) -> Flow[None]:
    """Removes a webhook and its deliveries."""
    yield from call_json(of, "DELETE", f"/webhooks/{segment(id)}")


# Runs.


def create_run(of: Session, name: str, tasks: Sequence[str]) -> Flow[Run]:
    """Creates a run whose tasks wait. Nothing runs them but your program."""
    return Run.of((yield from call_json(of, "POST", "/runs", {"name": name, "tasks": list(tasks)})))


def list_runs(of: Session) -> Flow[list[Run]]:
    """The runs of the key's owner, the newest first."""
    return [Run.of(one) for one in (yield from call_json(of, "GET", "/runs"))["runs"]]


def get_run(of: Session, id: str) -> Flow[Run]:
    """A run by its id."""
    return Run.of((yield from call_json(of, "GET", f"/runs/{segment(id)}")))


def update_run_task(
    of: Session,
    id: str,
    task: str,
    status: TaskStatus,
    *,
    message: str | None = None,
    seconds: float | None = None,
    computer_id: str | None = None,
    picture: bytes | None = None,
) -> Flow[None]:
    """Sets the state of a task. A picture, a JPEG of at most 64 KiB, stays until there is another."""
    body = given(status=status, message=message, seconds=seconds, computer_id=computer_id)
    if picture is not None:
        body["picture"] = b64encode(picture).decode()
    yield from call_json(of, "PUT", f"/runs/{segment(id)}/tasks/{segment(task)}", body)


def run_picture(of: Session, id: str, task: str) -> Flow[bytes]:
    """The picture of a task as JPEG."""
    path = f"/runs/{segment(id)}/tasks/{segment(task)}/picture"
    return (yield from call(of, "GET", path, accept="image/jpeg")).body


# Secrets of a project.


def set_secret(of: Session, project: str, name: str, value: str) -> Flow[Secret]:
    """Creates a secret or replaces its value, which is never shown again."""
    path = f"/projects/{segment(project)}/secrets/{segment(name)}"
    return parse(Secret, (yield from call_json(of, "PUT", path, {"value": value})))


def list_secrets(of: Session, project: str) -> Flow[list[Secret]]:
    """The secrets of a project, without their values."""
    answer = yield from call_json(of, "GET", f"/projects/{segment(project)}/secrets")
    return [parse(Secret, one) for one in answer["secrets"]]


def delete_secret(of: Session, project: str, name: str) -> Flow[None]:
    """Removes a secret of a project."""
    yield from call_json(of, "DELETE", f"/projects/{segment(project)}/secrets/{segment(name)}")


# Owners, for administrators.


def create_owner(of: Session, name: str, *, max_running: int | None = None) -> Flow[Owner]:
    """Creates an owner and its first API key, whose text is only in this answer, in `key`."""
    body = {"name": name, "max_running": max_running}
    return Owner.of((yield from call_json(of, "POST", "/owners", body)))


def list_owners(of: Session) -> Flow[list[Owner]]:
    """All owners of the service."""
    return [Owner.of(one) for one in (yield from call_json(of, "GET", "/owners"))["owners"]]


def get_owner(of: Session, owner: str) -> Flow[Owner]:
    """An owner, by its name or id."""
    return Owner.of((yield from call_json(of, "GET", f"/owners/{segment(owner)}")))


def update_owner(of: Session, owner: str, *, max_running: int | None) -> Flow[Owner]:
    """Changes the limit of running computers; None takes the service's."""
    body = {"max_running": max_running}
    return Owner.of((yield from call_json(of, "PATCH", f"/owners/{segment(owner)}", body)))


def create_owner_key(of: Session, owner: str, name: str) -> Flow[Key]:
    """A key for an owner who has lost theirs."""
    path = f"/owners/{segment(owner)}/keys"
    return parse(Key, (yield from call_json(of, "POST", path, {"name": name})))


def delete_owner(of: Session, owner: str, *, force: bool = False) -> Flow[None]:
    """Removes an owner and its keys; one with projects only with `force`, computers included."""
    path = f"/owners/{segment(owner)}"
    yield from call_json(of, "DELETE", path, params={"force": force}, work=600)


# The service.


def health(of: Session) -> Flow[dict[str, Any]]:
    """The health of the service and its engines."""
    return call_json(of, "GET", "/health")


def me(of: Session) -> Flow[Me]:
    """The owner of the key, and how many computers it may run."""
    return parse(Me, (yield from call_json(of, "GET", "/me")))


def audit(
    of: Session,
    *,
    limit: int | None = None,
    before: int | None = None,
    computer: str | None = None,
) -> Flow[list[dict[str, Any]]]:
    """
    The owner's audit log, the newest entry first; `before` is the `id` of the last entry of the page
    before, `computer` the id of one computer, which may have been deleted.
    """
    params = {"limit": limit, "before": before, "computer": computer}
    return list((yield from call_json(of, "GET", "/audit", params=params))["entries"])


def usage(of: Session, *, days: int | None = None) -> Flow[dict[str, Any]]:
    """What was used, by day, API key and project, the newest day first; 30 days by default."""
    return call_json(of, "GET", "/usage", params={"days": days})


def stats_history(of: Session, *, since: str | None = None) -> Flow[list[dict[str, Any]]]:
    """
    What each computer used in the last hour, or from the time `since` on, by the measurements of the
    service every 30 seconds.
    """
    params = {"since": since}
    return list((yield from call_json(of, "GET", "/stats/history", params=params))["computers"])


def request(
    of: Session,
    method: str,
    path: str,
    body: Mapping[str, Any] | None = None,
    *,
    params: Mapping[str, Any] | None = None,
) -> Flow[dict[str, Any]]:
    """Sends any request of docs/http.md; its path is below the base URL: `/images`."""
    return call_json(of, method, path, body, params=params)
