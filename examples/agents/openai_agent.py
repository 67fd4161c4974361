"""
An agent with OpenAI's computer tool, over its Responses API.

    OPENAI_API_KEY=… OPENAI_MODEL=… python3 openai_agent.py 'Write a shopping list into list.txt'
"""

from __future__ import annotations

import base64
import os
import sys
import time
from typing import Any

import httpx

from virtual_computers import Computer, ServiceError, VirtualComputers

BASE_URL = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
MOST_TURNS = 50

BUTTONS = {"left": "left", "right": "right", "wheel": "middle"}
KEYS = {
    **{"CONTROL": "ctrl", "OPTION": "alt", "META": "super", "CMD": "super", "COMMAND": "super"},
    **{"RETURN": "Enter", "ESC": "Escape", "DEL": "Delete"},
    **{"ARROWUP": "Up", "ARROWDOWN": "Down", "ARROWLEFT": "Left", "ARROWRIGHT": "Right"},
    **{"PAGEUP": "Page_Up", "PAGEDOWN": "Page_Down"},
}
NOTCH = 100
"""Pixels of one step of the wheel."""


def ask(items: list[dict[str, Any]], previous: str | None) -> dict[str, Any]:
    body = {
        "model": os.environ["OPENAI_MODEL"],
        "tools": [{"type": "computer"}],
        "input": items,
        "previous_response_id": previous,
    }
    headers = {"Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}
    response = httpx.post(f"{BASE_URL}/responses", json=body, headers=headers, timeout=600)
    response.raise_for_status()
    answer: dict[str, Any] = response.json()
    return answer


def keys_of(action: dict[str, Any]) -> list[str]:
    return [KEYS.get(key.upper(), key) for key in action.get("keys") or []]


def act(desk: Computer, action: dict[str, Any]) -> None:
    kind, x, y = action["type"], action.get("x", 0), action.get("y", 0)
    keys = keys_of(action)
    if kind == "click":
        button: Any = BUTTONS[action.get("button", "left")]  # There is no back and forward button.
        desk.click(x, y, button=button, keys=keys)
    elif kind == "double_click":
        desk.click(x, y, clicks=2, keys=keys)
    elif kind == "move":
        desk.move(x, y)
    elif kind == "drag":
        points = [(point["x"], point["y"]) for point in action["path"]]
        desk.drag(points[0], points[-1], path=points[1:-1])
    elif kind == "scroll":
        for size, less, more in (("scroll_x", "left", "right"), ("scroll_y", "up", "down")):
            if pixels := action.get(size):
                direction: Any = less if pixels < 0 else more
                desk.scroll(direction, max(1, round(abs(pixels) / NOTCH)), x=x, y=y)
    elif kind == "keypress":
        desk.key("+".join(keys))
    elif kind == "type":
        desk.type(action["text"])
    elif kind == "wait":
        desk.wait(2)
    elif kind != "screenshot":
        raise ValueError(f"the computer has no {kind}")


def answer(desk: Computer, call: dict[str, Any]) -> dict[str, Any]:
    """Carries out a call; one picture answers all of its actions."""
    checks = call.get("pending_safety_checks") or []
    for check in checks:
        # Never acknowledged by a program: a person decides.
        if input(f"{check.get('message', check['id'])} Continue? [y/N] ").lower() != "y":
            sys.exit("stopped at a safety check")
    try:
        for action in call["actions"]:
            act(desk, action)
    except (ServiceError, ValueError, KeyError) as error:
        print(f"an action failed: {error}")  # The model sees in the picture what happened.
    picture = base64.b64encode(desk.screenshot(settle=True)).decode()
    image = {"image_url": f"data:image/png;base64,{picture}", "detail": "original"}
    return {
        "type": "computer_call_output",
        "call_id": call["call_id"],
        "acknowledged_safety_checks": checks,
        "output": {"type": "computer_screenshot", **image},
    }


with VirtualComputers() as vc:
    project = vc.projects.create(f"openai-{time.time_ns()}").name
    try:
        desk = vc.computers.create(project, "desk", resolution=(1280, 800))
        print("watch it:", desk.view("view").url)
        task = sys.argv[1] if len(sys.argv) > 1 else "Say hello."
        items: list[dict[str, Any]] = [{"role": "user", "content": task}]
        previous = None
        for _ in range(MOST_TURNS):
            response = ask(items, previous)
            previous = response["id"]
            for item in response["output"]:
                if item["type"] == "message":
                    print("".join(part.get("text", "") for part in item["content"]))
            calls = [item for item in response["output"] if item["type"] == "computer_call"]
            if not calls:
                break
            items = [answer(desk, call) for call in calls]
    finally:
        vc.projects.delete(project)
