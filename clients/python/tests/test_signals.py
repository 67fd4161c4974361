"""The names of the signals for a process."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from virtual_computers._process import AsyncProcess


class Recorded(AsyncProcess):
    """A process that only keeps its messages."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    async def _send(self, message: Any) -> None:
        self.sent.append(message)


@pytest.mark.parametrize("name", ["TERM", "SIGTERM"])
def test_a_signal_may_be_written_with_and_without_sig(name: Any) -> None:
    process = Recorded()
    asyncio.run(process.kill(name))
    assert process.sent == [{"type": "signal", "signal": "TERM"}]


@pytest.mark.parametrize("name", ["term", "SIGSTOP", "", 15])
def test_an_unknown_signal_is_a_type_error(name: Any) -> None:
    process = Recorded()
    with pytest.raises(TypeError, match="use one of INT, TERM, HUP, KILL, QUIT"):
        asyncio.run(process.kill(name))
    assert process.sent == []
