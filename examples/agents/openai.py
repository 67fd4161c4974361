"""
An agent with OpenAI's computer tool, over its Responses API. It uses the computer demo/desktop.

    OPENAI_API_KEY=… OPENAI_MODEL=… python3 openai.py 'Write a shopping list into list.txt'
"""

from __future__ import annotations

import os
import sys
from typing import Any

import httpx

from virtual_computers import Computer, VirtualComputers

BASE_URL = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
MOST_TURNS = 50


def ask(tools: list[Any], items: list[dict[str, Any]], previous: str | None) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}
    body: dict[str, Any] = {"model": os.environ["OPENAI_MODEL"], "tools": tools, "input": items}
    body["previous_response_id"] = previous
    response = httpx.post(f"{BASE_URL}/responses", json=body, headers=headers, timeout=600)
    response.raise_for_status()
    answer: dict[str, Any] = response.json()
    return answer


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
    tools = desk.computer_use_tools("openai")
    task = sys.argv[1] if len(sys.argv) > 1 else "Say hello."
    items: list[dict[str, Any]] = [{"role": "user", "content": task}]
    previous = None
    for _ in range(MOST_TURNS):
        response = ask(tools, items, previous)
        previous = response["id"]
        for item in response["output"]:
            if item["type"] == "message":
                print("".join(part.get("text", "") for part in item["content"]))
        calls = [item for item in response["output"] if item["type"] == "computer_call"]
        if not calls:
            break
        items = use(desk, calls)
