"""A subscription: what happens to the computers of a project, as it happens."""

import asyncio
import time

from virtual_computers import AsyncVirtualComputers


async def main() -> None:
    async with AsyncVirtualComputers() as vc:
        project = (await vc.projects.create(f"events-{time.time_ns()}")).name
        # The stream begins with what happens from now on, so it is opened first.
        events = vc.events(project=project, types=["computer.status", "job.exited"])

        async def watch() -> None:
            async for event in events:
                if event["type"] == "computer.status":
                    print(f"{event['name']} is {event['status']}")
                elif event["type"] == "job.exited":
                    print(f"job exited with {event['exit_code']}")
                    break  # Leaving the loop closes the stream.

        try:
            await events.open()
            watching = asyncio.create_task(watch())
            desk = await vc.computers.create(project, "desk")
            await desk.jobs.start("sleep 0.5; exit 3")
            await watching
        finally:
            await vc.projects.delete(project)


asyncio.run(main())
