"""
An agent with UI-TARS, which writes its actions as text, over a chat API such as that of vLLM. It uses the computer demo/desktop.

    UI_TARS_API_KEY=… UI_TARS_MODEL=… python3 ui_tars.py 'Write a shopping list into list.txt'
"""

from __future__ import annotations

import base64
import os
import sys
from typing import Any

import httpx

from virtual_computers import VirtualComputers

BASE_URL = os.environ.get("UI_TARS_BASE_URL", "http://127.0.0.1:8000/v1")
MOST_TURNS = 50
PROMPT = """You are given a task and pictures of a screen. Say what to do next.

## Output Format
Thought: ...
Action: ...

## Action Space
{actions}

## Task
{task}"""


def ask(messages: list[dict[str, Any]]) -> str:
    headers = {"Authorization": f"Bearer {os.environ['UI_TARS_API_KEY']}"}
    body = {"model": os.environ["UI_TARS_MODEL"], "messages": messages}
    response = httpx.post(f"{BASE_URL}/chat/completions", json=body, headers=headers, timeout=600)
    response.raise_for_status()
    content: str = response.json()["choices"][0]["message"]["content"]
    return content


with VirtualComputers() as vc:
    desk = vc.computer("demo", "desktop")
    [actions] = desk.computer_use_tools("ui-tars")
    task = sys.argv[1] if len(sys.argv) > 1 else "Say hello."
    # The model asks for no first picture.
    picture = base64.b64encode(desk.screenshot()).decode()
    screen = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}}
    text = PROMPT.format(actions=actions["text"], task=task)
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": [{"type": "text", "text": text}, screen]}
    ]
    for _ in range(MOST_TURNS):
        content = ask(messages)
        print(content)
        action = content.rpartition("Action:")[2].strip()
        if "Action:" not in content or action.startswith(("finished(", "call_user(")):
            break
        results = desk.computer_use([content], dialect="ui-tars")["results"]
        messages += [{"role": "assistant", "content": content}, *results]
