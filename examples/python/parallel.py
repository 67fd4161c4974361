"""Three computers at the same time. An owner may run two by default: `vc serve --max-running 3`."""

import asyncio
import sys
import time

from virtual_computers import AsyncVirtualComputers, ServiceError


async def main() -> None:
    async with AsyncVirtualComputers() as vc:
        project = (await vc.projects.create(f"parallel-{time.time_ns()}")).name

        async def count(name: str, power: int) -> str:
            desk = await vc.computers.create(project, name)
            result = await desk.python(f"print(sum(range(10 ** {power})))", check=True)
            return f"{name}: {result.output.strip()}"

        try:
            print(*await asyncio.gather(count("one", 5), count("two", 6), count("three", 7)), sep="\n")
        except ServiceError as error:
            if error.code != "limit_reached":
                raise
            sys.exit(str(error))
        finally:
            await vc.projects.delete(project)  # with its computers


asyncio.run(main())
