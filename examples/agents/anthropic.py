"""
An agent with Anthropic's computer use tools, over its Messages API. It uses the computer demo/desktop.

    ANTHROPIC_API_KEY=… ANTHROPIC_MODEL=… python3 anthropic.py 'Write a shopping list into list.txt'
"""

from __future__ import annotations

import os
import sys
from typing import Any

import httpx

from virtual_computers import VirtualComputers

BASE_URL = os.environ.get("ANTHROPIC_BASE_URL", "https://api.anthropic.com")
MOST_TURNS = 50


def ask(tools: list[Any], messages: list[dict[str, Any]]) -> dict[str, Any]:
    headers = {"x-api-key": os.environ["ANTHROPIC_API_KEY"], "anthropic-version": "2023-06-01"}
    body = {"model": os.environ["ANTHROPIC_MODEL"], "max_tokens": 4096, "tools": tools}
    response = httpx.post(
        f"{BASE_URL}/v1/messages", json={**body, "messages": messages}, headers=headers, timeout=600
    )
    response.raise_for_status()
    message: dict[str, Any] = response.json()
    return message


with VirtualComputers() as vc:
    desk = vc.computer("demo", "desktop")
    tools = desk.computer_use_tools("anthropic")
    task = sys.argv[1] if len(sys.argv) > 1 else "Say hello."
    messages: list[dict[str, Any]] = [{"role": "user", "content": task}]
    for _ in range(MOST_TURNS):
        message = ask(tools, messages)
        content = message["content"]
        for block in content:
            if block["type"] == "text":
                print(block["text"])
        if message["stop_reason"] != "tool_use":
            break
        messages.append({"role": "assistant", "content": content})
        messages.append({"role": "user", "content": desk.computer_use(content)["results"]})
