"""Commands whose output is streamed, for both clients."""

from __future__ import annotations

import asyncio
from codecs import getincrementaldecoder
from typing import Callable, Mapping, Union

from ._errors import CommandError
from ._models import CommandResult, ProcessExit
from ._operations.computer import Target
from ._process import AsyncProcess, Command, Process, Stream, start_message

OnText = Union[Callable[[str], object], None]

KEPT_BYTES = 16 * 1024 * 1024


class Collector:
    """Keeps output up to a limit, and passes it on as text; characters are never split."""

    def __init__(self, on_stdout: OnText, on_stderr: OnText) -> None:
        self._notify: dict[Stream, OnText] = {"stdout": on_stdout, "stderr": on_stderr}
        self._kept: dict[Stream, bytearray] = {"stdout": bytearray(), "stderr": bytearray()}
        decoder = getincrementaldecoder("utf-8")
        self._decoders = {name: decoder("replace") for name in self._kept}
        self._truncated = False

    def add(self, stream: Stream, data: bytes, *, final: bool = False) -> None:
        kept = self._kept[stream]
        room = KEPT_BYTES - len(kept)
        kept += data[:room]
        self._truncated |= len(data) > room
        notify = self._notify[stream]
        text = self._decoders[stream].decode(data, final)
        if notify and text:
            notify(text)

    def result(self, end: ProcessExit, check: bool) -> CommandResult:
        for stream in self._kept:
            self.add(stream, b"", final=True)
        stdout, stderr = (kept.decode(errors="replace") for kept in self._kept.values())
        late, signal = end.timed_out, end.signal
        result = CommandResult(end.code, stdout, stderr, late, self._truncated, signal)
        if check and (late or end.code != 0):
            raise CommandError(result)
        return result


def run(
    of: Target,
    command: Command,
    *,
    on_stdout: OnText = None,
    on_stderr: OnText = None,
    stdin: str | bytes = b"",
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
    check: bool = False,
) -> CommandResult:
    """
    Runs a command line in a shell (a string) or a program with its arguments (a list), and calls
    `on_stdout` and `on_stderr` with its output as it arrives. It may run for any time, or `timeout`
    seconds; an exception, such as KeyboardInterrupt, ends it.
    """
    collector = Collector(on_stdout, on_stderr)
    with Process(of, start_message(command, cwd, env, timeout)) as process:
        process.feed(stdin)
        for stream, data in process:
            collector.add(stream, data)
        return collector.result(process.wait(), check)


async def run_async(
    of: Target,
    command: Command,
    *,
    on_stdout: OnText = None,
    on_stderr: OnText = None,
    stdin: str | bytes = b"",
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
    check: bool = False,
) -> CommandResult:
    """
    Runs a command line in a shell (a string) or a program with its arguments (a list), and calls
    `on_stdout` and `on_stderr` with its output as it arrives. It may run for any time, or `timeout`
    seconds; cancelling the task ends it.
    """
    collector = Collector(on_stdout, on_stderr)
    async with await AsyncProcess.open(of, start_message(command, cwd, env, timeout)) as process:
        feeding = asyncio.create_task(process.feed(stdin))
        try:
            async for stream, data in process:
                collector.add(stream, data)
            return collector.result(await process.wait(), check)
        finally:
            feeding.cancel()
            await asyncio.gather(feeding, return_exceptions=True)
