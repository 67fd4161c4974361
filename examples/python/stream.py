"""A long command: its output as it arrives, and ending it."""

import asyncio
import sys
import time

from virtual_computers import AsyncVirtualComputers


async def main() -> None:
    async with AsyncVirtualComputers() as vc:
        project = (await vc.projects.create(f"stream-{time.time_ns()}")).name
        try:
            desk = await vc.computers.create(project, "desk")

            result = await desk.run(
                "for i in 1 2 3; do echo $i; sleep 0.2; done; exit 7",
                on_stdout=sys.stdout.write,
                on_stderr=sys.stderr.write,
                timeout=600,  # Seconds; without it, it may run for as long as it takes.
            )
            print("exit code", result.exit_code)

            # Cancelling the task ends the command with all that it has started.
            started = asyncio.Event()
            endless = asyncio.create_task(
                desk.run(
                    "while :; do echo still here; sleep 0.1; done",
                    on_stdout=lambda text: started.set(),
                )
            )
            await started.wait()
            endless.cancel()
            try:
                await endless
            except asyncio.CancelledError:
                print("ended")

            # A command that has to outlive this program is a job.
            job = await desk.jobs.start("sleep 1; echo done")
            async for text in desk.jobs.follow(job):
                print(text, end="")
        finally:
            await vc.projects.delete(project)


asyncio.run(main())
