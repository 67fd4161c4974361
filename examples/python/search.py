"""
A search that tries eight ways from one state, each in a copy of its own. The service must let nine
computers run: `vc serve --max-running 9`.
"""

import asyncio
import sys
import time

from virtual_computers import AsyncComputer, AsyncVirtualComputers, ServiceError

# What a model might propose as the body of the function.
WAYS = [
    "year % 4 == 0",
    "year % 100 != 0",
    "year % 4 == 0 and year % 100 != 0",
    "year % 400 == 0",
    "year % 4 == 0 or year % 400 == 0",
    "year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)",
    "year % 4 == 0 and year % 400 == 0",
    "year % 2 == 0",
]
TEST = """from leap import is_leap
assert [is_leap(year) for year in (1900, 2000, 2023, 2024)] == [False, True, False, True]
"""


async def passes(copy: AsyncComputer, way: str) -> bool:
    await copy.files.write("leap.py", f"def is_leap(year):\n    return {way}\n")
    return (await copy.bash("python3 test.py")).exit_code == 0


async def main() -> None:
    async with AsyncVirtualComputers() as vc:
        project = (await vc.projects.create(f"search-{time.time_ns()}")).name
        try:
            desk = await vc.computers.create(project, "desk")
            await desk.files.write("test.py", TEST)
            await desk.snapshots.create("prepared")
            names = [f"way-{number}" for number in range(1, len(WAYS) + 1)]
            copies = await desk.fork(names, snapshot="prepared")
            results = await asyncio.gather(*map(passes, copies, WAYS))
            for name, is_passed in zip(names, results):
                print(name, "passes" if is_passed else "fails")
            print("found:", next((way for way, good in zip(WAYS, results) if good), None))
        except ServiceError as error:
            if error.code != "limit_reached":
                raise
            sys.exit(str(error))
        finally:
            await vc.projects.delete(project)  # with its computers


asyncio.run(main())
