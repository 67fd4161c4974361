"""The client without `await`."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import Iterator, Mapping, Sequence, overload

from ._binding import blocking, blocking_handle, targeted
from ._connection import PortConnection
from ._driver import Driver
from ._errors import VirtualComputersError
from ._events import Events, EventType
from ._models import ComputerInfo, Image, Job
from ._operations import actions, computer, files, image_build, resources
from ._process import Command, Process, start_message
from ._requests import Session
from ._run import run
from ._settings import find_settings


class _ComputerPart:
    def __init__(self, driver: Driver, target: computer.Target) -> None:
        self._driver = driver
        self._target = target


class _ServicePart:
    def __init__(self, driver: Driver, session: Session) -> None:
        self._driver = driver
        self._target = session


class Files(_ComputerPart):
    """
    The files of a computer, of any size. Paths begin in the home directory unless they begin with
    `/`.
    """

    read = blocking(files.read)
    write = blocking(files.write)
    upload = blocking(files.upload)
    download = blocking(files.download)
    entry = blocking(files.entry)
    list = blocking(files.listing)
    exists = blocking(files.exists)
    remove = blocking(files.remove)
    rename = blocking(files.rename)
    make_directory = blocking(files.make_directory)
    make_link = blocking(files.make_link)


class Jobs(_ComputerPart):
    """Commands in the background; they outlive this client and the service."""

    start = blocking(files.start_job)
    list = blocking(files.jobs)
    get = blocking(files.job)
    end = blocking(files.end_job)

    def follow(self, job: str, *, offset: int = 0) -> Iterator[str]:
        """Its output as it is written, until the job has ended."""
        pause: float | None = 0.0
        while pause is not None:
            seen: Job = self.get(job, offset=offset, limit=files.JOB_OUTPUT)
            if seen.output:
                yield seen.output
            pause = files.job_pause(seen, offset, pause)
            offset = seen.next_offset
            time.sleep(pause or 0)


class Snapshots(_ComputerPart):
    """The snapshots of a computer, which form a tree."""

    create = blocking(computer.create_snapshot)
    list = blocking(computer.list_snapshots)
    delete = blocking(computer.delete_snapshot)


def _note(self: Computer, info: ComputerInfo) -> ComputerInfo:
    self.info = info
    return info


class Computer(_ComputerPart):
    """
    One computer. Coordinates are pixels from the top left corner. A `with` block deletes the
    computer at its end if `create` or `fork` has made it.
    """

    def __init__(
        self,
        driver: Driver,
        target: computer.Target,
        info: ComputerInfo | None = None,
        *,
        is_own: bool = False,
    ) -> None:
        super().__init__(driver, target)
        self.info = info
        """The computer as the service last described it; None if it has not been asked yet."""
        self._is_own = is_own
        self.files = Files(driver, target)
        self.jobs = Jobs(driver, target)
        self.snapshots = Snapshots(driver, target)

    @property
    def id(self) -> str:
        return self._target.id or self._described().id

    @property
    def name(self) -> str:
        given = self._target.name if self.info is None else None
        return given or self._described().name

    get = blocking_handle(computer.get, _note)
    start = blocking_handle(computer.start, _note)
    stop = blocking_handle(computer.stop, _note)
    restart = blocking_handle(computer.restart, _note)
    reset = blocking_handle(computer.reset, _note)
    update = blocking_handle(computer.update, _note)
    delete = blocking(computer.delete)
    stats = blocking(computer.stats)
    stats_history = blocking(computer.stats_history)
    network = blocking(computer.network)
    control = blocking(computer.control)
    take_control = blocking(computer.take_control)
    release_control = blocking(computer.release_control)
    start_trajectory = blocking(computer.start_trajectory)
    trajectory = blocking(computer.trajectory)
    trajectory_steps = blocking(computer.trajectory_steps)
    trajectory_picture = blocking(computer.trajectory_picture)
    end_trajectory = blocking(computer.end_trajectory)
    save_trajectory = blocking(files.save_trajectory)
    delete_trajectory = blocking(computer.delete_trajectory)
    view = blocking(computer.view)
    browser = blocking(computer.browser)
    publish = blocking(computer.publish)
    unpublish = blocking(computer.unpublish)
    start_stream = blocking(computer.start_stream)
    stream_status = blocking(computer.stream_status)
    stop_stream = blocking(computer.stop_stream)
    history = blocking(computer.history)
    screenshot = blocking(actions.screenshot)
    marked_screenshot = blocking(actions.marked_screenshot)
    record = blocking(files.record)
    click = blocking(actions.click)
    move = blocking(actions.move)
    drag = blocking(actions.drag)
    scroll = blocking(actions.scroll)
    mouse_down = blocking(actions.mouse_down)
    mouse_up = blocking(actions.mouse_up)
    click_element = blocking(actions.click_element)
    click_mark = blocking(actions.click_mark)
    elements = blocking(actions.elements)
    find = blocking(actions.find)
    cursor = blocking(actions.cursor)
    type = blocking(actions.type_text)
    key = blocking(actions.key)
    key_down = blocking(actions.key_down)
    key_up = blocking(actions.key_up)
    wait = blocking(actions.wait)
    clipboard = blocking(actions.clipboard)
    set_clipboard = blocking(actions.set_clipboard)
    batch = blocking(actions.batch)
    computer_use = blocking(actions.computer_use)
    computer_use_tools = blocking(actions.computer_use_tools)
    bash = blocking(actions.bash)
    python = blocking(actions.python)
    run = targeted(run)

    def process(
        self,
        command: Command,
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
        terminal: tuple[int, int] | None = None,
    ) -> Process:
        """Starts a process; a `terminal` has columns and rows."""
        return Process(self._target, start_message(command, cwd, env, timeout, terminal))

    def connect(self, port: int) -> PortConnection:
        """Connects to a port on the loopback of the computer."""
        return PortConnection(self._target, port)

    @overload
    def fork(
        self, name: str, *, snapshot: str | None = None, wait: bool = True
    ) -> Computer: ...
    @overload
    def fork(
        self, name: list[str] | tuple[str, ...], *, snapshot: str | None = None, wait: bool = True
    ) -> list[Computer]: ...
    def fork(
        self,
        name: str | list[str] | tuple[str, ...],
        *,
        snapshot: str | None = None,
        wait: bool = True,
    ) -> Computer | list[Computer]:
        """
        Copies it, or one of its snapshots, with the disk and, where the engine can, the memory; waits
        until the copy can be used. A list of names makes several copies: all of them, or none.
        """
        copying = computer.fork(self._target, name, snapshot=snapshot, wait=wait)
        session = self._target.session
        copies = [
            _handle(self._driver, session, info, is_own=True)
            for info in self._driver.run(copying)
        ]
        return copies[0] if isinstance(name, str) else copies

    def with_options(
        self, *, request_timeout: float | None = None, max_retries: int | None = None
    ) -> Computer:
        """The same computer with another time limit, in seconds, or number of retries."""
        session = self._target.session.changed(request_timeout, max_retries)
        target = replace(self._target, session=session)
        return Computer(self._driver, target, self.info, is_own=self._is_own)

    def __enter__(self) -> Computer:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_own:
            self._driver.run(computer.delete_if_there(self._target))

    def _described(self) -> ComputerInfo:
        if self.info is None:
            raise VirtualComputersError("this computer has not been asked for yet; call get()")
        return self.info

    def __repr__(self) -> str:
        return f"<Computer {self.info.name if self.info else self._target.path}>"


def _handle(driver: Driver, session: Session, info: ComputerInfo, *, is_own: bool) -> Computer:
    target = computer.target_of(session, None, None, info.id)
    return Computer(driver, target, info, is_own=is_own)


class Projects(_ServicePart):
    """The projects of the key's owner, by name or id."""

    create = blocking(resources.create_project)
    list = blocking(resources.list_projects)
    get = blocking(resources.get_project)
    rename = blocking(resources.rename_project)
    start = blocking(resources.start_project)
    stop = blocking(resources.stop_project)
    restart = blocking(resources.restart_project)
    delete = blocking(resources.delete_project)


class Computers(_ServicePart):
    """The computers of the key's owner."""

    create = blocking_handle(
        resources.create_computer,
        lambda self, info: _handle(self._driver, self._target, info, is_own=True),
    )
    get = blocking_handle(
        resources.get_computer,
        lambda self, info: _handle(self._driver, self._target, info, is_own=False),
    )
    list = blocking(resources.list_computers)
    list_all = blocking(resources.list_all_computers)


class Images(_ServicePart):
    """What computers are made from: images of every engine, those for all owners, and one's own."""

    list = blocking(resources.list_images)
    get = blocking(resources.get_image)
    build = blocking(image_build.build)
    log = blocking(resources.image_log)
    delete = blocking(resources.delete_image)
    prune = blocking(resources.prune_images)

    def save(
        self, name: str, computer: Computer, *, snapshot: str | None = None, shared: bool = False
    ) -> Image:
        """
        Saves a computer, or one of its snapshots, as an image of the owner, or with `shared` as one for
        all owners (for administrators). One of the same name is replaced; computers that were made
        from it stay as they are.
        """
        of = computer._target
        saving = resources.save_image(self._target, name, of, snapshot=snapshot, shared=shared)
        return self._driver.run(saving)


class Volumes(_ServicePart):
    """Directories that computers share and that outlive them."""

    create = blocking(resources.create_volume)
    list = blocking(resources.list_volumes)
    delete = blocking(resources.delete_volume)


class Publications(_ServicePart):
    """Published ports of computers; see `publish` of a computer."""

    list = blocking(resources.list_publications)


class Keys(_ServicePart):
    """The API keys of the key's owner."""

    create = blocking(resources.create_key)
    list = blocking(resources.list_keys)
    update = blocking(resources.update_key)
    delete = blocking(resources.delete_key)


class Connections(_ServicePart):
    """The saved targets of streams."""

    create = blocking(resources.create_connection)
    list = blocking(resources.list_connections)
    delete = blocking(resources.delete_connection)


class Webhooks(_ServicePart):
    """Targets to which events are posted; see `verify_webhook` for their side."""

    create = blocking(resources.create_webhook)
    list = blocking(resources.list_webhooks)
    get = blocking(resources.get_webhook)
    test = blocking(resources.test_webhook)
    deliveries = blocking(resources.list_deliveries)
    delete = blocking(resources.delete_webhook)


class Runs(_ServicePart):
    """Runs with their tasks, as the web page shows them: those of `vc run`, and of your program."""

    create = blocking(resources.create_run)
    list = blocking(resources.list_runs)
    get = blocking(resources.get_run)
    update_task = blocking(resources.update_run_task)
    picture = blocking(resources.run_picture)


class Secrets(_ServicePart):
    """Secrets of a project: `{{secret:NAME}}` in a text to type."""

    set = blocking(resources.set_secret)
    list = blocking(resources.list_secrets)
    delete = blocking(resources.delete_secret)


class Owners(_ServicePart):
    """The owners of the service, by name or id; for administrators."""

    create = blocking(resources.create_owner)
    list = blocking(resources.list_owners)
    get = blocking(resources.get_owner)
    update = blocking(resources.update_owner)
    create_key = blocking(resources.create_owner_key)
    delete = blocking(resources.delete_owner)


class VirtualComputers(_ServicePart):
    """
    The service. Base URL and key come from the arguments, or else from VC_BASE_URL and VC_API_KEY, or
    else from the profile of the CLI; by default it is the service of this machine.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        profile: str | None = None,
        request_timeout: float | None = None,
        max_retries: int = 2,
    ) -> None:
        settings = find_settings(base_url, api_key, profile, os.environ)
        session = Session(settings, request_timeout, max_retries)
        self._open(Driver(session), session)

    def _open(self, driver: Driver, session: Session) -> None:
        super().__init__(driver, session)
        self.projects = Projects(driver, session)
        self.computers = Computers(driver, session)
        self.images = Images(driver, session)
        self.volumes = Volumes(driver, session)
        self.publications = Publications(driver, session)
        self.keys = Keys(driver, session)
        self.connections = Connections(driver, session)
        self.webhooks = Webhooks(driver, session)
        self.runs = Runs(driver, session)
        self.secrets = Secrets(driver, session)
        self.owners = Owners(driver, session)

    @property
    def base_url(self) -> str:
        return self._target.settings.base_url

    health = blocking(resources.health)
    me = blocking(resources.me)
    usage = blocking(resources.usage)
    stats_history = blocking(resources.stats_history)
    audit = blocking(resources.audit)
    request = blocking(resources.request)

    def computer(
        self, project: str | None = None, name: str | None = None, *, id: str | None = None
    ) -> Computer:
        """The handle of a computer, by its project and name or by its id. Nothing is sent."""
        return Computer(self._driver, computer.target_of(self._target, project, name, id))

    def events(
        self,
        *,
        project: str | None = None,
        computer: str | None = None,
        types: Sequence[EventType] | None = None,
        last_event_id: str | None = None,
    ) -> Events:
        """
        What happens to the owner's projects and computers, from now on or after `last_event_id`,
        without end. A lost connection is opened again and nothing is missed or repeated.
        """
        return Events(self._driver, self._target, project, computer, types, last_event_id)

    def with_options(
        self, *, request_timeout: float | None = None, max_retries: int | None = None
    ) -> VirtualComputers:
        """A client with another time limit, in seconds, or number of retries; same connections."""
        other = VirtualComputers.__new__(VirtualComputers)
        other._open(self._driver, self._target.changed(request_timeout, max_retries))
        return other

    def close(self) -> None:
        """Closes kept-alive connections."""
        self._driver.close()

    def __enter__(self) -> VirtualComputers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
