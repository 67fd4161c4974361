"""The client with `await`, on asyncio."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from typing import AsyncIterator, Mapping, Sequence, overload

from ._binding import awaiting, awaiting_handle, targeted
from ._connection import AsyncPortConnection
from ._driver import AsyncDriver
from ._errors import VirtualComputersError
from ._events import AsyncEvents, EventType
from ._models import ComputerInfo, Image, Job
from ._operations import actions, computer, files, image_build, resources
from ._process import AsyncProcess, Command, start_message
from ._requests import Session
from ._run import run_async
from ._settings import find_settings


class _ComputerPart:
    def __init__(self, driver: AsyncDriver, target: computer.Target) -> None:
        self._driver = driver
        self._target = target


class _ServicePart:
    def __init__(self, driver: AsyncDriver, session: Session) -> None:
        self._driver = driver
        self._target = session


class AsyncFiles(_ComputerPart):
    """
    The files of a computer, of any size. Paths begin in the home directory unless they begin with
    `/`.
    """

    read = awaiting(files.read)
    write = awaiting(files.write)
    upload = awaiting(files.upload)
    download = awaiting(files.download)
    entry = awaiting(files.entry)
    list = awaiting(files.listing)
    exists = awaiting(files.exists)
    remove = awaiting(files.remove)
    rename = awaiting(files.rename)
    make_directory = awaiting(files.make_directory)
    make_link = awaiting(files.make_link)


class AsyncJobs(_ComputerPart):
    """Commands in the background; they outlive this client and the service."""

    start = awaiting(files.start_job)
    list = awaiting(files.jobs)
    get = awaiting(files.job)
    end = awaiting(files.end_job)

    async def follow(self, job: str, *, offset: int = 0) -> AsyncIterator[str]:
        """Its output as it is written, until the job has ended."""
        pause: float | None = 0.0
        while pause is not None:
            seen: Job = await self.get(job, offset=offset, limit=files.JOB_OUTPUT)
            if seen.output:
                yield seen.output
            pause = files.job_pause(seen, offset, pause)
            offset = seen.next_offset
            await asyncio.sleep(pause or 0)


class AsyncSnapshots(_ComputerPart):
    """The snapshots of a computer, which form a tree."""

    create = awaiting(computer.create_snapshot)
    list = awaiting(computer.list_snapshots)
    delete = awaiting(computer.delete_snapshot)


def _note(self: AsyncComputer, info: ComputerInfo) -> ComputerInfo:
    self.info = info
    return info


class AsyncComputer(_ComputerPart):
    """
    One computer. Coordinates are pixels from the top left corner. An `async with` block deletes the
    computer at its end if `create` or `fork` has made it.
    """

    def __init__(
        self,
        driver: AsyncDriver,
        target: computer.Target,
        info: ComputerInfo | None = None,
        *,
        is_own: bool = False,
    ) -> None:
        super().__init__(driver, target)
        self.info = info
        """The computer as the service last described it; None if it has not been asked yet."""
        self._is_own = is_own
        self.files = AsyncFiles(driver, target)
        self.jobs = AsyncJobs(driver, target)
        self.snapshots = AsyncSnapshots(driver, target)

    @property
    def id(self) -> str:
        return self._target.id or self._described().id

    @property
    def name(self) -> str:
        given = self._target.name if self.info is None else None
        return given or self._described().name

    get = awaiting_handle(computer.get, _note)
    start = awaiting_handle(computer.start, _note)
    stop = awaiting_handle(computer.stop, _note)
    restart = awaiting_handle(computer.restart, _note)
    reset = awaiting_handle(computer.reset, _note)
    update = awaiting_handle(computer.update, _note)
    delete = awaiting(computer.delete)
    stats = awaiting(computer.stats)
    stats_history = awaiting(computer.stats_history)
    network = awaiting(computer.network)
    control = awaiting(computer.control)
    take_control = awaiting(computer.take_control)
    release_control = awaiting(computer.release_control)
    start_trajectory = awaiting(computer.start_trajectory)
    trajectory = awaiting(computer.trajectory)
    trajectory_steps = awaiting(computer.trajectory_steps)
    trajectory_picture = awaiting(computer.trajectory_picture)
    end_trajectory = awaiting(computer.end_trajectory)
    save_trajectory = awaiting(files.save_trajectory)
    delete_trajectory = awaiting(computer.delete_trajectory)
    view = awaiting(computer.view)
    browser = awaiting(computer.browser)
    publish = awaiting(computer.publish)
    unpublish = awaiting(computer.unpublish)
    start_stream = awaiting(computer.start_stream)
    stream_status = awaiting(computer.stream_status)
    stop_stream = awaiting(computer.stop_stream)
    history = awaiting(computer.history)
    screenshot = awaiting(actions.screenshot)
    marked_screenshot = awaiting(actions.marked_screenshot)
    record = awaiting(files.record)
    click = awaiting(actions.click)
    move = awaiting(actions.move)
    drag = awaiting(actions.drag)
    scroll = awaiting(actions.scroll)
    mouse_down = awaiting(actions.mouse_down)
    mouse_up = awaiting(actions.mouse_up)
    click_element = awaiting(actions.click_element)
    click_mark = awaiting(actions.click_mark)
    elements = awaiting(actions.elements)
    find = awaiting(actions.find)
    cursor = awaiting(actions.cursor)
    type = awaiting(actions.type_text)
    key = awaiting(actions.key)
    key_down = awaiting(actions.key_down)
    key_up = awaiting(actions.key_up)
    wait = awaiting(actions.wait)
    clipboard = awaiting(actions.clipboard)
    set_clipboard = awaiting(actions.set_clipboard)
    batch = awaiting(actions.batch)
    computer_use = awaiting(actions.computer_use)
    computer_use_tools = awaiting(actions.computer_use_tools)
    bash = awaiting(actions.bash)
    python = awaiting(actions.python)
    run = targeted(run_async)

    async def process(
        self,
        command: Command,
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
        terminal: tuple[int, int] | None = None,
    ) -> AsyncProcess:
        """Starts a process; a `terminal` has columns and rows."""
        return await AsyncProcess.open(
            self._target, start_message(command, cwd, env, timeout, terminal)
        )

    async def connect(self, port: int) -> AsyncPortConnection:
        """Connects to a port on the loopback of the computer."""
        return await AsyncPortConnection.open(self._target, port)

    @overload
    async def fork(
        self, name: str, *, snapshot: str | None = None, wait: bool = True
    ) -> AsyncComputer: ...
    @overload
    async def fork(
        self, name: list[str] | tuple[str, ...], *, snapshot: str | None = None, wait: bool = True
    ) -> list[AsyncComputer]: ...
    async def fork(
        self,
        name: str | list[str] | tuple[str, ...],
        *,
        snapshot: str | None = None,
        wait: bool = True,
    ) -> AsyncComputer | list[AsyncComputer]:
        """
        Copies it, or one of its snapshots, with the disk and, where the engine can, the memory; waits
        until the copy can be used. A list of names makes several copies: all of them, or none.
        """
        copying = computer.fork(self._target, name, snapshot=snapshot, wait=wait)
        session = self._target.session
        copies = [
            _handle(self._driver, session, info, is_own=True)
            for info in await self._driver.run(copying)
        ]
        return copies[0] if isinstance(name, str) else copies

    def with_options(
        self, *, request_timeout: float | None = None, max_retries: int | None = None
    ) -> AsyncComputer:
        """The same computer with another time limit, in seconds, or number of retries."""
        session = self._target.session.changed(request_timeout, max_retries)
        target = replace(self._target, session=session)
        return AsyncComputer(self._driver, target, self.info, is_own=self._is_own)

    async def __aenter__(self) -> AsyncComputer:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._is_own:
            await self._driver.run(computer.delete_if_there(self._target))

    def _described(self) -> ComputerInfo:
        if self.info is None:
            raise VirtualComputersError("this computer has not been asked for yet; call get()")
        return self.info

    def __repr__(self) -> str:
        return f"<AsyncComputer {self.info.name if self.info else self._target.path}>"


def _handle(
    driver: AsyncDriver, session: Session, info: ComputerInfo, *, is_own: bool
) -> AsyncComputer:
    target = computer.target_of(session, None, None, info.id)
    return AsyncComputer(driver, target, info, is_own=is_own)


class AsyncProjects(_ServicePart):
    """The projects of the key's owner, by name or id."""

    create = awaiting(resources.create_project)
    list = awaiting(resources.list_projects)
    get = awaiting(resources.get_project)
    rename = awaiting(resources.rename_project)
    start = awaiting(resources.start_project)
    stop = awaiting(resources.stop_project)
    restart = awaiting(resources.restart_project)
    delete = awaiting(resources.delete_project)


class AsyncComputers(_ServicePart):
    """The computers of the key's owner."""

    create = awaiting_handle(
        resources.create_computer,
        lambda self, info: _handle(self._driver, self._target, info, is_own=True),
    )
    get = awaiting_handle(
        resources.get_computer,
        lambda self, info: _handle(self._driver, self._target, info, is_own=False),
    )
    list = awaiting(resources.list_computers)
    list_all = awaiting(resources.list_all_computers)


class AsyncImages(_ServicePart):
    """What computers are made from: images of every engine, those for all owners, and one's own."""

    list = awaiting(resources.list_images)
    get = awaiting(resources.get_image)
    build = awaiting(image_build.build)
    log = awaiting(resources.image_log)
    delete = awaiting(resources.delete_image)
    prune = awaiting(resources.prune_images)

    async def save(
        self, name: str, computer: AsyncComputer, *, snapshot: str | None = None, shared: bool = False
    ) -> Image:
        """
        Saves a computer, or one of its snapshots, as an image of the owner, or with `shared` as one for
        all owners (for administrators). One of the same name is replaced; computers that were made
        from it stay as they are.
        """
        of = computer._target
        saving = resources.save_image(self._target, name, of, snapshot=snapshot, shared=shared)
        return await self._driver.run(saving)


class AsyncVolumes(_ServicePart):
    """Directories that computers share and that outlive them."""

    create = awaiting(resources.create_volume)
    list = awaiting(resources.list_volumes)
    delete = awaiting(resources.delete_volume)


class AsyncPublications(_ServicePart):
    """Published ports of computers; see `publish` of a computer."""

    list = awaiting(resources.list_publications)


class AsyncKeys(_ServicePart):
    """The API keys of the key's owner."""

    create = awaiting(resources.create_key)
    list = awaiting(resources.list_keys)
    update = awaiting(resources.update_key)
    delete = awaiting(resources.delete_key)


class AsyncConnections(_ServicePart):
    """The saved targets of streams."""

    create = awaiting(resources.create_connection)
    list = awaiting(resources.list_connections)
    delete = awaiting(resources.delete_connection)


class AsyncWebhooks(_ServicePart):
    """Targets to which events are posted; see `verify_webhook` for their side."""

    create = awaiting(resources.create_webhook)
    list = awaiting(resources.list_webhooks)
    get = awaiting(resources.get_webhook)
    test = awaiting(resources.test_webhook)
    deliveries = awaiting(resources.list_deliveries)
    delete = awaiting(resources.delete_webhook)


class AsyncRuns(_ServicePart):
    """Runs with their tasks, as the web page shows them: those of `vc run`, and of your program."""

    create = awaiting(resources.create_run)
    list = awaiting(resources.list_runs)
    get = awaiting(resources.get_run)
    update_task = awaiting(resources.update_run_task)
    picture = awaiting(resources.run_picture)


class AsyncSecrets(_ServicePart):
    """Secrets of a project: `{{secret:NAME}}` in a text to type."""

    set = awaiting(resources.set_secret)
    list = awaiting(resources.list_secrets)
    delete = awaiting(resources.delete_secret)


class AsyncOwners(_ServicePart):
    """The owners of the service, by name or id; for administrators."""

    create = awaiting(resources.create_owner)
    list = awaiting(resources.list_owners)
    get = awaiting(resources.get_owner)
    update = awaiting(resources.update_owner)
    create_key = awaiting(resources.create_owner_key)
    delete = awaiting(resources.delete_owner)


class AsyncVirtualComputers(_ServicePart):
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
        self._open(AsyncDriver(session), session)

    def _open(self, driver: AsyncDriver, session: Session) -> None:
        super().__init__(driver, session)
        self.projects = AsyncProjects(driver, session)
        self.computers = AsyncComputers(driver, session)
        self.images = AsyncImages(driver, session)
        self.volumes = AsyncVolumes(driver, session)
        self.publications = AsyncPublications(driver, session)
        self.keys = AsyncKeys(driver, session)
        self.connections = AsyncConnections(driver, session)
        self.webhooks = AsyncWebhooks(driver, session)
        self.runs = AsyncRuns(driver, session)
        self.secrets = AsyncSecrets(driver, session)
        self.owners = AsyncOwners(driver, session)

    @property
    def base_url(self) -> str:
        return self._target.settings.base_url

    health = awaiting(resources.health)
    me = awaiting(resources.me)
    usage = awaiting(resources.usage)
    stats_history = awaiting(resources.stats_history)
    audit = awaiting(resources.audit)
    request = awaiting(resources.request)

    def computer(
        self, project: str | None = None, name: str | None = None, *, id: str | None = None
    ) -> AsyncComputer:
        """The handle of a computer, by its project and name or by its id. Nothing is sent."""
        return AsyncComputer(self._driver, computer.target_of(self._target, project, name, id))

    def events(
        self,
        *,
        project: str | None = None,
        computer: str | None = None,
        types: Sequence[EventType] | None = None,
        last_event_id: str | None = None,
    ) -> AsyncEvents:
        """
        What happens to the owner's projects and computers, from now on or after `last_event_id`,
        without end. A lost connection is opened again and nothing is missed or repeated.
        """
        return AsyncEvents(self._driver, self._target, project, computer, types, last_event_id)

    def with_options(
        self, *, request_timeout: float | None = None, max_retries: int | None = None
    ) -> AsyncVirtualComputers:
        """A client with another time limit, in seconds, or number of retries; same connections."""
        other = AsyncVirtualComputers.__new__(AsyncVirtualComputers)
        other._open(self._driver, self._target.changed(request_timeout, max_retries))
        return other

    async def close(self) -> None:
        """Closes kept-alive connections."""
        await self._driver.close()

    async def __aenter__(self) -> AsyncVirtualComputers:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
