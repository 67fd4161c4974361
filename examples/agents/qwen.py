"""
An agent with Qwen and the function `computer_use`, over a chat API such as that of vLLM. It uses the computer demo/desktop.

    QWEN_API_KEY=… QWEN_MODEL=… python3 qwen.py 'Write a shopping list into list.txt'
"""

from __future__ import annotations

import base64
import json
import os
import sys
from typing import Any

import httpx

from virtual_computers import VirtualComputers

BASE_URL = os.environ.get("QWEN_BASE_URL", "http://127.0.0.1:8000/v1")
MOST_TURNS = 50


def ask(tools: list[Any], messages: list[dict[str, Any]]) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {os.environ['QWEN_API_KEY']}"}
    body = {"model": os.environ["QWEN_MODEL"], "tools": tools, "messages": messages}
    response = httpx.post(f"{BASE_URL}/chat/completions", json=body, headers=headers, timeout=600)
    response.raise_for_status()
    message: dict[str, Any] = response.json()["choices"][0]["message"]
    return message


with VirtualComputers() as vc:
    desk = vc.computer("demo", "desktop")
    tools = desk.computer_use_tools("qwen")
    # The model asks for no first picture.
    picture = base64.b64encode(desk.screenshot()).decode()
    screen = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}}
    task = {"type": "text", "text": sys.argv[1] if len(sys.argv) > 1 else "Say hello."}
    messages: list[dict[str, Any]] = [{"role": "user", "content": [task, screen]}]
    for _ in range(MOST_TURNS):
        message = ask(tools, messages)
        if message.get("content"):
            print(message["content"])
        calls = message.get("tool_calls") or []
        if not calls:
            break
        messages += [message, *desk.computer_use(calls)["results"]]
        last = json.loads(calls[-1]["function"]["arguments"])
        if last["action"] == "answer":
            print(last["text"])
        if last["action"] in ("answer", "terminate"):
            break
