"""The loop of an agent: show the model the screen, carry out its actions, until it is done."""

from __future__ import annotations

import time
from typing import Any, Iterator

from virtual_computers import VirtualComputers



def scripted_model() -> Iterator[Any]:
    """Each turn is a list of actions as `POST C/batch` takes them; None when it is done."""
    yield [{"action": "click", "x": 640, "y": 400, "settle": True}]
    yield [{"action": "click", "x": 5000, "y": 5000}]  # Models err; the error goes back to them.
    yield [{"action": "type", "text": "Milk, Brot, 牛乳\n", "settle": True}]
    yield [{"action": "key", "key": "ctrl+s", "settle": True}]
    yield None


script = scripted_model()


def ask_model(picture: bytes, mistake: str | None) -> Any:
    """Stands for a model; a real one is asked here over its own API. See docs/agents.md."""
    print(f"the model sees {len(picture)} bytes" + (f" and: {mistake}" if mistake else ""))
    return next(script)


with VirtualComputers() as vc:
    project = vc.projects.create(f"agent-{time.time_ns()}").name
    try:
        desk = vc.computers.create(project, "desk")
        # The task: write a shopping list into the editor that is open, and save it.
        desk.bash(
            "touch list.txt; mousepad list.txt >/dev/null 2>&1 &"
            " xdotool search --sync --onlyvisible --class mousepad",
            check=True,
            timeout=60,
        )
        desk.wait(until="stable")

        mistake = None
        for _ in range(20):
            actions = ask_model(desk.screenshot(scale=0.5), mistake)
            if actions is None:
                break
            result = desk.batch(actions)
            # The last result is that of the action that failed.
            mistake = None if result.success else result.results[-1]["error"]
        print("saved:", desk.files.read("list.txt").decode().strip())
    finally:
        vc.projects.delete(project)
