"""What the service answers, as objects. Fields that only a newer service knows are left out."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Mapping, Type, TypeVar, Union

M = TypeVar("M")
# The second is like {"allow": ["example.com"]} or {"internet": True, "rate": "1mbit"}.
Network = Union[Literal["internet", "none"], Mapping[str, Any]]
TaskStatus = Literal["waiting", "running", "passed", "failed", "error"]
Status = Literal["starting", "running", "stopping", "stopped", "deleting", "error"]


def parse(model: Type[M], answer: Mapping[str, Any]) -> M:
    """Builds a model from an answer; a field that is missing takes its default."""
    known = [each.name for each in fields(model)]
    return model(**{name: answer[name] for name in known if name in answer})


@dataclass(frozen=True)
class Resolution:
    """Pixels."""

    width: int
    height: int


def size_text(size: str | tuple[int, int] | Resolution | None) -> str | None:
    """The size of a screen as a request has it."""
    if isinstance(size, Resolution):
        size = (size.width, size.height)
    return f"{size[0]}x{size[1]}" if isinstance(size, tuple) else size


@dataclass(frozen=True)
class Creator:
    """The API key that created a computer, also after it was revoked."""

    id: str
    name: str | None = None
    prefix: str | None = None


@dataclass(frozen=True)
class ControlHolder:
    key_id: str
    key_name: str | None = None
    session: bool = False
    """A person on the web page has it, not every request of the key."""


@dataclass(frozen=True)
class Control:
    """Who alone gives input to a computer."""

    holder: ControlHolder
    since: str
    expires_at: str

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Control:
        return parse(cls, {**answer, "holder": parse(ControlHolder, answer["holder"])})


@dataclass(frozen=True)
class ControlState:
    control: Control | None
    """None if nobody has it alone."""
    is_mine: bool
    """Whether the key of this client has it."""

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> ControlState:
        control = answer["control"]
        return cls(None if control is None else Control.of(control), answer["is_mine"])


@dataclass(frozen=True)
class Trajectory:
    """The recorded actions of a computer."""

    id: str
    status: Literal["recording", "ended"]
    started_at: str
    ended_at: str | None
    end_reason: str | None
    """What ended it: `request`, `limit`, `key`, `computer`, `service` or `failure`."""
    steps: int
    pictures: int
    bytes: int
    message: str | None = None
    """More about the end."""
    started_by: str | None = None
    """Name of the API key that started it."""
    snapshots: int = 0
    """Snapshots of the computer that were made since its start."""
    snapshot_error: str | None = None
    """Why a snapshot could not be made."""


@dataclass(frozen=True)
class ComputerInfo:
    """A computer as the service describes it. Times are in RFC 3339."""

    id: str
    name: str
    status: Status
    project_id: str
    project_name: str
    os: str
    cpu: int
    """Cores."""
    ram: int
    """GB."""
    engine: str
    isolation: str
    """`container`, `vm`, or `emulated` for a virtual machine without KVM."""
    image: str
    resolution: Resolution
    created_at: str
    member: str | None = None
    """The member of the cluster that it is on; None without a cluster."""
    started_at: str | None = None
    status_reason: str | None = None
    pending: list[Literal["cpu", "ram", "resolution"]] = field(default_factory=list)
    """What was changed and its machine has from the next start on."""
    gpu: str = "none"
    url: str | None = None
    auto_stop_minutes: int | None = None
    on_idle: Literal["stop", "delete"] = "stop"
    """What happens after `auto_stop_minutes`."""
    expires_at: str | None = None
    """When it is deleted; None for never."""
    labels: Mapping[str, str] = field(default_factory=dict)
    protected: bool = False
    env_names: list[str] = field(default_factory=list)
    """Names of its environment variables, whose values are not shown."""
    timezone: str | None = None
    locale: str | None = None
    sudo: bool = True
    network: Network = "internet"
    """What it may reach."""
    volumes: list[Mount] = field(default_factory=list)
    created_by: Creator | None = None
    """None for a computer of an earlier version."""
    control: Control | None = None
    """Who alone gives input to it."""

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> ComputerInfo:
        resolution = parse(Resolution, answer["resolution"])
        creator = answer.get("created_by")
        created_by = None if creator is None else parse(Creator, creator)
        held = answer.get("control")
        control = None if held is None else Control.of(held)
        volumes = [parse(Mount, one) for one in answer.get("volumes", [])]
        held_by = {"created_by": created_by, "control": control}
        more = {"resolution": resolution, "volumes": volumes, **held_by}
        return parse(cls, {**answer, **more})


@dataclass(frozen=True)
class Snapshot:
    """A computer at one moment."""

    name: str
    parent: str | None
    """The snapshot that the computer was last saved as or reset to before."""
    created_at: str
    bytes: int
    """What it takes beyond its parent."""
    memory: bool
    """It has the memory of the computer, which then continues where it was."""
    current: bool
    """The computer was last saved as or reset to it."""


@dataclass(frozen=True)
class Mount:
    """A volume in a computer."""

    name: str
    path: str
    read_only: bool


@dataclass(frozen=True)
class Volume:
    """A directory that computers share and that outlives them."""

    name: str
    engine: str
    bytes: int
    """What its files take, measured now and then."""
    used_by: int
    """How many computers mount it, which keep it from being deleted."""
    created_at: str


@dataclass(frozen=True)
class Publication:
    """A port of a computer with an address of its own."""

    port: int
    computer_id: str
    computer: str
    project: str
    public: bool
    """It needs no ticket."""
    url: str
    created_at: str
    expires_at: str | None
    link: str | None = None
    """The address with its ticket; only of a new one."""


@dataclass(frozen=True)
class Image:
    """What computers are made from."""

    name: str
    engine: str
    os: str
    kind: str
    """`image`, `disk`, `template`, `saved` for the owner's own, or `shared` for one for all owners."""
    status: Literal["ready", "stale"]
    bytes: int
    created_at: str
    recipe_hash: str | None = None
    key: str | None = None
    """Of a template."""
    cpu: int | None = None
    ram: int | None = None
    resolution: Resolution | None = None
    used_by: int | None = None
    """Of a saved or shared image: how many computers were made from it."""

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Image:
        size = answer.get("resolution")
        return parse(cls, {**answer, "resolution": size and parse(Resolution, size)})


@dataclass(frozen=True)
class Project:
    id: str
    name: str
    computer_count: int
    created_at: str
    updated_at: str
    computers: tuple[ComputerInfo, ...] = ()
    """Only in the answer of `projects.get`."""

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Project:
        computers = tuple(ComputerInfo.of(one) for one in answer.get("computers", ()))
        return parse(cls, {**answer, "computers": computers})


@dataclass(frozen=True)
class Settled:
    """The answer of a mouse or keyboard action."""

    settled: bool | None = None
    """With `settle`: whether the screen became stable in time."""


@dataclass(frozen=True)
class Element:
    """Something on the screen, as its program describes it."""

    id: str
    """Valid while the element exists."""
    role: str
    name: str
    box: tuple[int, int, int, int]
    """x, y, width, height in pixels."""
    value: str | None = None
    states: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    source: Literal["elements", "text"] | None = None
    """By `find`: whether a program describes it, or it was read in the picture of the screen."""

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Element:
        lists = {name: tuple(answer[name]) for name in ("box", "states", "actions")}
        return parse(cls, {**answer, **lists})


@dataclass(frozen=True)
class Elements:
    elements: list[Element]
    truncated: bool = False
    """There are more: than the limit, or than the programs told in time."""

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Elements:
        return cls([Element.of(each) for each in answer["elements"]], answer["truncated"])


@dataclass(frozen=True)
class Mark(Element):
    """An element that can be clicked, with its number in a picture."""

    mark: int = 0


@dataclass(frozen=True)
class MarkedScreenshot:
    """A picture with numbered boxes around the elements that can be clicked."""

    image: bytes
    """The bytes of the image file."""
    width: int
    height: int
    frame: str
    """The id of this picture, for `click_mark`."""
    marks: list[Mark]
    truncated: bool = False
    """There are more elements than were marked."""

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> MarkedScreenshot:
        marks = [Mark.of(each) for each in answer["marks"]]
        return parse(cls, {**answer, "image": b64decode(answer["image"]), "marks": marks})


@dataclass(frozen=True)
class WaitResult:
    waited: float
    """Seconds."""
    changed: bool | None = None
    """With `until="change"`: whether the screen changed in time."""
    met: tuple[dict[str, Any], ...] = ()
    """With a condition: those that held, each with `condition`, `seen` and perhaps `element`."""


@dataclass(frozen=True)
class CommandResult:
    """How a command ended."""

    exit_code: int | None
    """None when a signal or the timeout ended it."""
    stdout: str
    stderr: str
    timed_out: bool = False
    truncated: bool = False
    """It printed more than is kept: 1 MiB of each output with `bash`, 16 MiB with `run`."""
    signal: str | None = None
    """For example `SIGKILL`; only with `run`."""


@dataclass(frozen=True)
class PythonResult:
    """How Python code ended in the computer."""

    success: bool
    output: str
    timed_out: bool = False
    error: str | None = None
    """The traceback of an exception."""
    error_type: str | None = None
    """Its class."""
    truncated: bool = False
    """A stream had more than 1 MiB; the rest is lost."""


@dataclass(frozen=True)
class BatchResult:
    success: bool
    """All actions ran."""
    results: list[dict[str, Any]]
    """The answer of each action, up to the first that failed."""


@dataclass(frozen=True)
class Job:
    """A command in the background."""

    id: str
    pid: int
    status: Literal["running", "exited"]
    exit_code: int | None
    command: str
    started_at: str
    ended_at: str | None
    output_bytes: int
    truncated: bool
    output: str = ""
    """Only in the answer of `jobs.get`, from `offset` on."""
    next_offset: int = 0
    """Where the rest of the output begins."""


@dataclass(frozen=True)
class FileEntry:
    name: str
    type: Literal["file", "directory", "link", "other"]
    size: int
    mode: str
    """Permissions in octal, four digits."""
    mtime: str
    target: str | None = None
    """Of a link."""
    path: str | None = None
    """Only in the answer of `files.entry`."""


@dataclass(frozen=True)
class FileWritten:
    path: str
    """Absolute, links resolved."""
    size: int


@dataclass(frozen=True)
class Stats:
    """What a running computer uses of its host."""

    at: str
    cpu_percent: float
    cpu_seconds: float
    cpu: int
    memory_used_bytes: int
    memory_total_bytes: int
    disk_used_bytes: int
    disk_total_bytes: int | None = None


@dataclass(frozen=True)
class View:
    """A link to the live view, which opens once."""

    url: str
    expires_at: str


@dataclass(frozen=True)
class Key:
    id: str
    name: str
    created_at: str
    last_used_at: str | None = None
    created_by: str | None = None
    max_computers: int | None = None
    max_hours: int | None = None
    max_actions: int | None = None
    used: Mapping[str, float] = field(default_factory=dict)
    """Since its creation: `computers`, `hours` and `actions`."""
    key: str | None = None
    """Its text; only in the answer of `create`."""


@dataclass(frozen=True)
class Connection:
    """A saved target of streams."""

    name: str
    url: str
    has_stream_key: bool
    created_at: str


@dataclass(frozen=True)
class Webhook:
    """A target to which events are posted."""

    id: str
    url: str
    events: list[str]
    status: Literal["active", "disabled"]
    pending: int
    """Deliveries to come."""
    created_at: str
    secret: str | None = None
    """The key of the signatures; only in the answer of `create`."""


@dataclass(frozen=True)
class Delivery:
    """An event that is posted to a webhook."""

    id: str
    type: str
    at: str
    status: Literal["pending", "delivered", "failed"]
    attempts: int
    status_code: int | None = None
    """Status of the last answer."""
    error: str | None = None
    """Why the last attempt failed."""
    next_attempt_at: str | None = None


@dataclass(frozen=True)
class RunTask:
    """A task of a run."""

    name: str
    status: TaskStatus
    message: str
    """Why it has not passed; empty if it has."""
    has_picture: bool
    seconds: float | None = None
    """How long it took; None before it has ended."""
    computer_id: str | None = None
    """Its computer, while that exists."""


@dataclass(frozen=True)
class Run:
    """A run of tasks."""

    id: str
    name: str
    created_at: str
    tasks: list[RunTask]

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Run:
        return parse(cls, {**answer, "tasks": [parse(RunTask, each) for each in answer["tasks"]]})


@dataclass(frozen=True)
class Secret:
    """A secret of a project, without its value."""

    name: str
    created_at: str
    updated_at: str


@dataclass(frozen=True)
class Me:
    """The owner of the key."""

    user_id: str
    name: str
    role: Literal["administrator", "member"]
    running: int
    max_running: int


@dataclass(frozen=True)
class Owner:
    id: str
    name: str
    role: Literal["administrator", "member"]
    status: Literal["active", "deleting"]
    running: int
    project_count: int
    computer_count: int
    created_at: str
    max_running: int | None = None
    key: Key | None = None
    """Its first key; only in the answer of `create`."""

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Owner:
        key = answer.get("key")
        return parse(cls, {**answer, "key": key and parse(Key, key)})


@dataclass(frozen=True)
class ProcessExit:
    """How a process ended."""

    code: int | None
    """None when a signal ended it."""
    signal: str | None = None
    timed_out: bool = False
    error: str | None = None
    error_type: str | None = None
