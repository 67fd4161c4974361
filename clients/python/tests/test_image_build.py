"""Builds of images, against scripted answers."""

from __future__ import annotations

import asyncio
import io
import json
import socket
import tarfile
from pathlib import Path
from typing import Any

import pytest

from conftest import Answer, ScriptedService
from virtual_computers import AsyncVirtualComputers, ServiceError, VirtualComputers
from virtual_computers._operations.image_build import IgnoreRules, pack

IMAGE = {
    **{"name": "box", "engine": "docker", "os": "linux", "kind": "saved", "status": "ready"},
    **{"bytes": 5, "created_at": "2026-01-01T00:00:00Z", "resolution": None, "used_by": 0},
}
DONE = {"type": "done", "step": 1, "seconds": 0.1}


# The cases of test/images/dockerfile/ignore.test.ts.
@pytest.mark.parametrize(
    ("text", "path", "is_ignored"),
    [
        ("*", "a/b", True),
        ("*.md", "x/a.md", False),
        ("**/*.md", "a.md", True),
        ("**/*.md", "x/y/a.md", True),
        ("a/**", "a/b/c", True),
        ("a/**/z", "a/z", True),
        ("a/**/z", "a/bz", False),
        ("**foo", "x/yfoo", True),
        ("/a", "a", True),
        ("./a/", "a/b", True),
        ("a?", "ab", True),
        ("a?", "a/", False),
        ("[a-c]x", "bx", True),
        ("[^a-c]x", "bx", False),
        ("[z-a]", "z", False),
        ("\\*", "*", True),
        ("\\*", "a", False),
        ("a.b", "axb", False),
        ("# not", "# not", False),
        ("\ufeff  a  \r", "a", True),
        ("*\n!a", "a", False),
        ("*\n!a\na", "a", True),
        ("dir\n!dir/a", "dir/a", False),
        ("dir\n!dir/a", "dir/b", True),
        ("*/*/temp*", "x/temp", False),
    ],
)
def test_leaves_out(text: str, path: str, is_ignored: bool) -> None:
    assert IgnoreRules(text).ignores(path) is is_ignored


@pytest.mark.parametrize(
    ("text", "directory", "may"),
    [
        ("dir\n!dir/a", "dir", True),
        ("dir\n!dir/a", "dir/b", False),
        ("dir\n!other", "dir", False),
        ("dir\n!**/a", "dir", True),
        ("dir\n!dir/*/a", "dir/x", True),
    ],
)
def test_looks_for_exceptions(text: str, directory: str, may: bool) -> None:
    assert IgnoreRules(text).may_take_from(directory) is may


@pytest.fixture()
def context(tmp_path: Path) -> Path:
    root = tmp_path / "context"
    ignored = "skip\nDockerfile\n!skip/keep"
    files = {"Dockerfile": "FROM linux\n", "deep/ü": "x" * 600, "a": "", ".dockerignore": ignored}
    for name, text in {**files, "skip/keep": "", "skip/other": ""}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "link").symlink_to("/etc/passwd")
    (root / "deep/ü").chmod(0o750)
    return root


def test_packs_links_but_no_sockets_the_dockerfile_first(context: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(context / "socket"))
        archive = b"".join(pack(context, "./Dockerfile"))
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        names = ["Dockerfile", ".dockerignore", "a", "deep", "deep/ü", "link", "skip/keep"]
        assert tar.getnames() == names
        deep = tar.getmember("deep/ü")
        assert (deep.mode, deep.uid, deep.size) == (0o750, 0, 600)
        content = tar.extractfile(deep)
        assert content is not None and content.read() == b"x" * 600
        assert tar.getmember("link").linkname == "/etc/passwd"
    with pytest.raises(FileNotFoundError):
        list(pack(context, "none"))
    with pytest.raises(OSError, match="Not a regular file"):
        list(pack(context, "deep"))


def lines(*events: dict[str, Any]) -> Answer:
    # An empty line shows that the service is still there.
    return Answer(body=b"\n".join(json.dumps(event).encode() for event in events) + b"\n\n")


def test_builds(service: ScriptedService, context: Path) -> None:
    service.answers = [lines(DONE, {"type": "image", "image": IMAGE})]
    events: list[dict[str, Any]] = []
    with VirtualComputers(service.base_url, "k") as vc:
        image = vc.images.build(
            context,
            "my box",
            dockerfile="a",
            args={"A": "b&c", "D": ""},
            secrets={"npm": "token", "raw": b"\xff"},
            no_cache=True,
            shared=True,
            on_event=events.append,
        )
    assert (image.name, image.used_by, events) == ("box", 0, [DONE])
    [request] = service.received
    query = "arg=A%3Db%26c&arg=D%3D&dockerfile=a&no_cache=1&shared=1"
    assert (request.method, request.path) == ("POST", f"/api/images/my%20box/build?{query}")
    assert request.headers["x-vc-build-secret"] == "npm=dG9rZW4=,raw=/w=="
    assert request.headers["content-type"] == "application/x-tar"
    assert request.body == b"".join(pack(context, "a"))


def test_raises_the_error_of_a_build(service: ScriptedService, context: Path) -> None:
    failed = {"type": "error", "error": "Dockerfile:2: no", "code": "guest_failed", "remedy": None}
    vc = VirtualComputers(service.base_url, "k")
    service.answers = [lines(DONE, failed)]
    with pytest.raises(ServiceError, match="Dockerfile:2") as raised:
        vc.images.build(context, "box")
    assert raised.value.code == "guest_failed"
    service.answers = [lines(DONE)]
    with pytest.raises(ServiceError, match="ended before the build"):
        vc.images.build(context, "box")
    service.answers = [Answer(400, b'{"error": "no"}', {"x-error-code": "limit_reached"})]
    with pytest.raises(ServiceError) as refused:
        vc.images.build(context, "box")
    assert refused.value.code == "limit_reached"
    assert service.received[0].path == "/api/images/box/build"


def test_the_same_with_await(service: ScriptedService, context: Path) -> None:
    service.answers = [
        lines({"type": "image", "image": IMAGE}),
        Answer(body=b"#1 DONE\n"),
        Answer(body=b'{"bytes": 5}'),
    ]

    async def main() -> None:
        async with AsyncVirtualComputers(service.base_url, "k") as vc:
            assert (await vc.images.build(context, "box")).bytes == 5
            assert await vc.images.log("box") == "#1 DONE\n"
            assert await vc.images.prune() == 5

    asyncio.run(main())
    assert service.received[0].body == b"".join(pack(context, "Dockerfile"))
    assert service.received[1].headers["accept"] == "text/plain"


@pytest.mark.parametrize("dockerfile", ["../Dockerfile", "a/../../b", "/etc/passwd"])
def test_refuses_a_dockerfile_outside_the_directory(context: Path, dockerfile: str) -> None:
    with pytest.raises(ValueError, match="path in the directory"):
        list(pack(context, dockerfile))
