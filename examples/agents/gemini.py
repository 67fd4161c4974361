"""
An agent with Gemini's computer use tool, over its generateContent API. It uses the computer demo/desktop.

    GEMINI_API_KEY=… GEMINI_MODEL=… python3 gemini.py 'Write a shopping list into list.txt'
"""

from __future__ import annotations

import os
import sys
from typing import Any

import httpx

from virtual_computers import Computer, VirtualComputers

BASE_URL = os.environ.get("GEMINI_BASE_URL", "https://generativelanguage.googleapis.com")
MOST_TURNS = 50


def ask(tools: list[Any], contents: list[dict[str, Any]]) -> dict[str, Any]:
    response = httpx.post(
        f"{BASE_URL}/v1beta/models/{os.environ['GEMINI_MODEL']}:generateContent",
        json={"tools": tools, "contents": contents},
        headers={"x-goog-api-key": os.environ["GEMINI_API_KEY"]},
        timeout=600,
    )
    response.raise_for_status()
    content: dict[str, Any] = response.json()["candidates"][0]["content"]
    return content


def use(desk: Computer, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Carries out the calls of a turn. A person, never a program, decides about safety checks."""
    acknowledge: list[str] = []
    while True:
        answer = desk.computer_use(calls, acknowledge=acknowledge)
        if not answer["confirm"]:
            results: list[dict[str, Any]] = answer["results"]
            return results
        for check in answer["confirm"]:
            if input(f"{check.get('message', check['id'])} Continue? [y/N] ").lower() != "y":
                sys.exit("stopped at a safety check")
            acknowledge.append(check["id"])


with VirtualComputers() as vc:
    desk = vc.computer("demo", "desktop")
    tools = desk.computer_use_tools("gemini-generate-content")
    task = sys.argv[1] if len(sys.argv) > 1 else "Say hello."
    contents: list[dict[str, Any]] = [{"role": "user", "parts": [{"text": task}]}]
    for _ in range(MOST_TURNS):
        content = ask(tools, contents)
        for part in content["parts"]:
            if "text" in part:
                print(part["text"])
        calls = [part for part in content["parts"] if "functionCall" in part]
        if not calls:
            break
        contents += [content, {"role": "user", "parts": use(desk, calls)}]
