"""
The tests of the client. Those in test_computer.py need a running service with a computer:
VC_BASE_URL, VC_API_KEY and VC_TEST_COMPUTER, its id. All others need nothing.
"""

from __future__ import annotations

import os
import sys
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Iterator, Mapping

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))

from virtual_computers import Computer, VirtualComputers  # noqa: E402

PROJECT = "prj"
COMPUTER = {
    **{"id": "cmp_1", "name": "desk", "status": "running", "project_id": "prj_1"},
    **{"project_name": PROJECT, "os": "linux", "cpu": 2, "ram": 2, "engine": "docker"},
    **{"isolation": "container", "image": "linux", "created_at": "2026-01-01T00:00:00.000Z"},
    "resolution": {"width": 1280, "height": 800},
    "field_of_a_newer_service": True,
}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, str]:
    """No test but those with a service sees the environment or the profile of the user."""
    own = {name: value for name, value in os.environ.items() if name.startswith("VC_")}
    for name in own:
        monkeypatch.delenv(name)
    monkeypatch.setenv("VC_CONFIG_DIR", str(tmp_path / "config"))
    return own


@pytest.fixture(scope="session")
def vc() -> Iterator[VirtualComputers]:
    if "VC_TEST_COMPUTER" not in os.environ:
        pytest.skip("needs a service: VC_BASE_URL, VC_API_KEY and VC_TEST_COMPUTER")
    with VirtualComputers(os.environ["VC_BASE_URL"], os.environ["VC_API_KEY"]) as vc:
        yield vc


@pytest.fixture(scope="session")
def desk(vc: VirtualComputers) -> Computer:
    return vc.computers.get(id=os.environ["VC_TEST_COMPUTER"])


@dataclass
class Answer:
    """`status` 0 closes the connection without an answer."""

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str | None] = field(default_factory=dict)
    delay: float = 0


@dataclass
class Received:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class ScriptedService:
    """Gives prepared answers, one after the other; the last one again and again."""

    def __init__(self, port: int = 0) -> None:
        self.answers = [Answer()]
        self.received: list[Received] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one_request(self) -> None:
                self.raw_requestline = self.rfile.readline(65537)
                if not self.raw_requestline or not self.parse_request():
                    self.close_connection = True
                    return
                headers = {name.lower(): value for name, value in self.headers.items()}
                is_chunked = headers.get("transfer-encoding") == "chunked"
                length = int(headers.get("content-length", 0))
                body = b"".join(self._chunks()) if is_chunked else self.rfile.read(length)
                service.received.append(Received(self.command, self.path, headers, body))
                answer = service.answers.pop(0) if len(service.answers) > 1 else service.answers[0]
                if service.ended.wait(answer.delay):
                    return
                if answer.status == 0:
                    self.close_connection = True
                    return
                self.send_response(answer.status)
                for name, value in {"x-api-version": "1", **answer.headers}.items():
                    if value is not None:
                        self.send_header(name, value)
                self.send_header("content-length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            def _chunks(self) -> Iterator[bytes]:
                while size := int(self.rfile.readline(), 16):
                    yield self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()

            def log_message(self, *_: object) -> None:
                pass

        self.ended = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self.port = self._server.server_port
        self.base_url = f"http://127.0.0.1:{self.port}/api"

    def close(self) -> None:
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture()
def service() -> Iterator[ScriptedService]:
    scripted = ScriptedService()
    yield scripted
    scripted.close()
