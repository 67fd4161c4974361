"""Building images from Dockerfiles; generators for both clients, see _requests.py."""

from __future__ import annotations

import base64
import errno
import json
import os
import posixpath
import re
import stat
import tarfile
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Mapping, Union
from urllib.parse import urlencode

from .actions import StrPath
from .files import PIECE, sized
from .._errors import ServiceError
from .._models import Image
from .._requests import Flow, Request, Session, exchange, given, segment

OnEvent = Union[Callable[[dict[str, Any]], object], None]


def build(
    of: Session,
    directory: StrPath,
    name: str,
    *,
    dockerfile: str | None = None,
    args: Mapping[str, str] | None = None,
    secrets: Mapping[str, str | bytes] | None = None,
    target: str | None = None,
    no_cache: bool = False,
    shared: bool = False,
    engine: str | None = None,
    on_event: OnEvent = None,
) -> Flow[Image]:
    """
    Builds an image of the owner, or with `shared` one for all owners (for administrators), from a
    directory, without what its `.dockerignore` leaves out.
    `dockerfile` is a path in it, by default `Dockerfile`. `args` are values of ARG, `secrets` those of
    `RUN --mount=type=secret` by id. `on_event` is called with each line of the progress. An exception,
    such as KeyboardInterrupt, ends the build. Raises a ServiceError if a step fails.
    """
    fields = given(
        dockerfile=dockerfile,
        target=target,
        engine=engine,
        no_cache=no_cache or None,
        shared=shared or None,
    )
    query = [("arg", f"{key}={value}") for key, value in (args or {}).items()]
    query += [(key, "1" if value is True else value) for key, value in fields.items()]
    headers = {"content-type": "application/x-tar"}
    if secrets:
        encoded = [f"{id}={_base64(value)}" for id, value in secrets.items()]
        headers["x-vc-build-secret"] = ",".join(encoded)
    progress = _Progress(on_event)
    path = f"/images/{segment(name)}/build{'?' if query else ''}{urlencode(query)}"
    content = pack(Path(directory), dockerfile or "Dockerfile")
    yield from exchange(of, Request("POST", path, headers, content, sink=progress.add))
    end = progress.end
    if end is None:
        raise ServiceError("internal", "The connection ended before the build.")
    if end["type"] == "error":
        raise ServiceError(end["code"], end["error"], remedy=end["remedy"])
    return Image.of(end["image"])


class _Progress:
    """Reads the lines of the answer; the last one is the `end`."""

    def __init__(self, on_event: OnEvent) -> None:
        self._on_event = on_event
        self._rest = b""
        self.end: dict[str, Any] | None = None

    def add(self, piece: bytes) -> None:
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for event in [json.loads(line) for line in lines if line]:
            if event["type"] in ("image", "error"):
                self.end = event
            elif self._on_event:
                self._on_event(event)


def _base64(value: str | bytes) -> str:
    return base64.b64encode(value.encode() if isinstance(value, str) else value).decode()


# The context, as src/images/dockerfile/pack.ts packs it.


def pack(directory: Path, dockerfile: str) -> Iterator[bytes]:
    """
    The files of a directory that `.dockerignore` does not leave out, as a tar archive. The Dockerfile
    and `.dockerignore` come first and are always in it: the service leaves them out of COPY.
    """
    dockerfile = posixpath.normpath(dockerfile)
    if posixpath.isabs(dockerfile) or dockerfile.split("/")[0] == "..":
        raise ValueError(f"dockerfile is a path in the directory, not {dockerfile}")
    if not stat.S_ISREG((directory / dockerfile).lstat().st_mode):
        raise OSError(errno.EINVAL, "Not a regular file", str(directory / dockerfile))
    yield from _entry(directory, dockerfile)
    sent, rules = {dockerfile}, IgnoreRules("")
    for name in (f"{dockerfile}.dockerignore", ".dockerignore"):
        if (directory / name).is_file():
            text = (directory / name).read_bytes()
            info = tarfile.TarInfo(name)
            info.size = len(text)
            yield from _file(info, [text])
            rules = IgnoreRules(text.decode(errors="replace"))
            sent.add(name)
            break
    for name in _walk(directory, "", rules):
        if name not in sent:
            yield from _entry(directory, name)
    yield bytes(2 * tarfile.BLOCKSIZE)


def _walk(root: Path, folder: str, rules: IgnoreRules) -> Iterator[str]:
    """Paths in the context, directories before what is in them."""
    for entry in sorted(os.scandir(root / folder), key=lambda entry: entry.name):
        path = f"{folder}{entry.name}"
        is_ignored = rules.ignores(path)
        if not is_ignored:
            yield path
        if entry.is_dir(follow_symlinks=False) and (not is_ignored or rules.may_take_from(path)):
            yield from _walk(root, f"{path}/", rules)


def _entry(root: Path, name: str) -> Iterator[bytes]:
    """A file, directory or link in the archive; nothing for sockets, pipes and devices."""
    full = root / name
    status = full.lstat()
    info = tarfile.TarInfo(name)
    info.mode = stat.S_IMODE(status.st_mode)
    info.mtime = int(status.st_mtime)
    if stat.S_ISREG(status.st_mode):
        info.size = status.st_size
        with full.open("rb") as file:
            yield from _file(info, iter(lambda: file.read(PIECE), b""))
    elif stat.S_ISLNK(status.st_mode):
        info.type, info.linkname = tarfile.SYMTYPE, os.readlink(full)
        yield info.tobuf(tarfile.PAX_FORMAT)
    elif stat.S_ISDIR(status.st_mode):
        info.type = tarfile.DIRTYPE
        yield info.tobuf(tarfile.PAX_FORMAT)


def _file(info: tarfile.TarInfo, pieces: Iterable[bytes]) -> Iterator[bytes]:
    yield info.tobuf(tarfile.PAX_FORMAT)
    yield from sized(pieces, info.size)
    yield bytes(-info.size % tarfile.BLOCKSIZE)


class IgnoreRules:
    """The rules of a `.dockerignore`, as Docker reads them: the last one that matches counts."""

    def __init__(self, text: str) -> None:
        lines = [line.strip() for line in text.removeprefix("\ufeff").split("\n") if line[:1] != "#"]
        self._rules = [_rule(line) for line in lines if line not in ("", "!")]

    def ignores(self, path: str) -> bool:
        """True for a path that is left out: it or a directory above matches."""
        parts = path.split("/")
        above = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
        is_ignored = False
        for is_exception, pattern, _ in self._rules:
            if is_ignored == is_exception and any(map(pattern.fullmatch, above)):
                is_ignored = not is_exception
        return is_ignored

    def may_take_from(self, directory: str) -> bool:
        """True if something in an ignored directory may be taken in by an exception."""
        inside = f"{directory}/"
        return any(
            is_exception and (beginning.startswith(inside) or inside.startswith(beginning))
            for is_exception, _, beginning in self._rules
        )


def _rule(line: str) -> tuple[bool, re.Pattern[str], str]:
    """True for an exception; its pattern; what the pattern begins with before wildcards."""
    is_exception = line.startswith("!")
    text = posixpath.normpath(line[1:].strip() if is_exception else line).strip("/")
    beginning = text
    if wildcard := re.search(r"[*?\[\\]", text):
        beginning = text[: text.rfind("/", 0, wildcard.start()) + 1]
    return is_exception, re.compile(_expression(text), re.DOTALL), beginning


def _expression(pattern: str) -> str:
    """The regular expression of a pattern of Go's `filepath.Match`, with `**`."""
    parts = re.findall(r"\*\*/|\*\*|\[\^?(?:\\.|[^\]\\])+\]|\\.|[\s\S]", pattern)
    return "".join(_part(part) for part in parts)


def _part(part: str) -> str:
    wildcards = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    if part in wildcards:
        return wildcards[part]
    if part[0] != "[" or len(part) == 1:
        return re.escape(part[1:] if len(part) > 1 else part)
    is_negated = part[1] == "^"
    found = re.findall(r"\\?(.)(?:-\\?(.))?", part[2 if is_negated else 1 : -1])
    ranges = [(start, end or start) for start, end in found if start <= (end or start)]
    text = "".join(f"{re.escape(start)}-{re.escape(end)}" for start, end in ranges)
    if is_negated:
        return f"[^/{text}]"
    return f"(?!/)[{text}]" if text else "(?!)"
