"""On Linux, a key goes over plain HTTP to a local port only if root or this user listens there."""

from __future__ import annotations

import errno
import os
import re
import socket
import ssl
import sys
from ipaddress import IPv6Address, ip_address
from typing import Any, Callable, Iterator, NamedTuple

import httpcore
import httpx

from ._errors import UntrustedListenerError, UntrustedPageError
from ._settings import Settings

try:
    from httpcore import AnyIOBackend, SyncBackend  # type: ignore[attr-defined]
except ImportError:  # httpcore before 0.18
    from httpcore.backends.asyncio import AsyncIOBackend as AnyIOBackend
    from httpcore.backends.sync import SyncBackend

CONNECTIONS = 100
KEEP_ALIVE_SECONDS = 5.0
LISTEN = "0A"
CONNECT_SECONDS = 10.0
_PAGE_HOST = re.compile(r"vc-[0-9a-f]{32}\.localhost$")
_LOOPBACK = re.compile(r"(localhost|127(\.\d{1,3}){3}|::1)$")
#: Of a connection to an address that this host does not have.
_MISSING = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.ENETUNREACH, errno.EHOSTUNREACH)

#: Checks a connected socket, or raises UntrustedListenerError.
Check = Callable[[Any], None]


def checks(settings: Settings) -> bool:
    """True if connections are checked. A TLS server proves itself by its certificate."""
    is_plain = settings.base_url.startswith("http:")
    has_secret = settings.api_key is not None and settings.listener_uid != "any"
    return sys.platform == "linux" and is_plain and has_secret


def check_peer(sock: Any, listener_uid: int | str | None) -> None:
    """Raises UntrustedListenerError unless root, this user or `listener_uid` has the other end."""
    local, remote = sock.getsockname()[:2], sock.getpeername()[:2]
    if not _plain(remote[0]).is_loopback and local[0] != remote[0]:
        return
    trusted = (0, os.geteuid(), listener_uid)
    uids = list(_peer_uids(local, remote))
    untrusted = next((uid for uid in uids if uid not in trusted), None)
    if not uids or untrusted is not None:
        raise UntrustedListenerError(remote[0], remote[1], untrusted)


def page_url(base_url: str, link: str) -> str:
    """The base URL with the host name that `link` has, if it is one of the web page; see
    src/contract/access/page-host.ts."""
    base, page = httpx.URL(base_url), httpx.URL(link).host
    is_local = base.scheme == "http" and bool(_LOOPBACK.match(base.host))
    return str(base.copy_with(host=page)) if is_local and _PAGE_HOST.match(page) else base_url


def check_page(link: str, settings: Settings) -> None:
    """
    For a link with a host name of the web page: raises UntrustedListenerError or UntrustedPageError
    unless trusted users listen at all addresses where browsers look for it.
    """
    url = httpx.URL(link)
    if not _PAGE_HOST.match(url.host) or not checks(settings):
        return
    port = url.port or 80
    for address in ("::1", "127.0.0.1"):
        try:
            sock = socket.create_connection((address, port), CONNECT_SECONDS)
        except OSError as error:
            if error.errno in _MISSING:
                continue
            raise UntrustedPageError(address, port) from error
        with sock:
            check_peer(sock, settings.listener_uid)


class _Row(NamedTuple):
    """A TCP socket of this network namespace, and the user who opened it."""

    address: str
    port: int
    ends: str
    state: str
    uid: int
    inode: int


def _peer_uids(local: tuple[str, int], remote: tuple[str, int]) -> list[int]:
    """
    The user who accepted the connection. One that waits to be accepted belongs to those who listen
    there; as in the kernel, a socket bound to the address goes before one bound to all addresses.
    """
    address = _plain(remote[0])
    tables = ["tcp6"] if isinstance(address, IPv6Address) else ["tcp", "tcp6"]
    listening: list[_Row] = []
    for table in tables:
        ends = f"{_hex(remote, table)} {_hex(local, table)}"
        for row in _rows(table):
            if row.ends == ends:
                if row.inode != 0:
                    return [row.uid]
            elif row.state == LISTEN and row.port == remote[1]:
                listening.append(row)
    every = ["::"] if isinstance(address, IPv6Address) else ["0.0.0.0", "::"]
    for bound in [str(address), *every]:
        uids = [row.uid for row in listening if row.address == bound]
        if uids:
            return uids
    return []


def _rows(table: str) -> Iterator[_Row]:
    """Format: https://docs.kernel.org/networking/proc_net_tcp.html"""
    try:
        with open(f"/proc/net/{table}", encoding="ascii") as file:
            lines = file.readlines()[1:]
    except FileNotFoundError:  # a kernel without IPv6 has no tcp6
        return
    for line in lines:
        _, local, remote, state, _, _, _, uid, _, inode, *_ = line.split()
        address, port = local.split(":")
        ends = f"{local} {remote}"
        yield _Row(_read(address), int(port, 16), ends, state, int(uid), int(inode))


def _plain(address: str) -> Any:
    """An IPv4 address mapped into IPv6 as IPv4; without the zone of a link-local address."""
    parsed = ip_address(address.split("%")[0])
    return getattr(parsed, "ipv4_mapped", None) or parsed


def _read(text: str) -> str:
    packed = _host_order(bytes.fromhex(text))
    family = socket.AF_INET if len(packed) == 4 else socket.AF_INET6
    return str(_plain(socket.inet_ntop(family, packed)))


def _hex(end: tuple[str, int], table: str) -> str:
    address = _plain(end[0])
    mapped = bytes(10) + b"\xff\xff" if table == "tcp6" and address.version == 4 else b""
    return f"{_host_order(mapped + address.packed).hex().upper()}:{end[1]:04X}"


def _host_order(packed: bytes) -> bytes:
    """Words of 32 bits in the byte order of this machine."""
    if sys.byteorder == "big":
        return packed
    return b"".join(packed[at : at + 4][::-1] for at in range(0, len(packed), 4))


class _VerifiedBackend(SyncBackend):  # type: ignore[misc]
    def __init__(self, check: Check) -> None:
        super().__init__()
        self._check = check

    def connect_tcp(self, *args: Any, **kwargs: Any) -> Any:
        stream = super().connect_tcp(*args, **kwargs)
        try:
            self._check(stream.get_extra_info("socket"))
        except BaseException:
            stream.close()
            raise
        return stream


class _AsyncVerifiedBackend(AnyIOBackend):  # type: ignore[misc]
    def __init__(self, check: Check) -> None:
        super().__init__()
        self._check = check

    async def connect_tcp(self, *args: Any, **kwargs: Any) -> Any:
        stream = await super().connect_tcp(*args, **kwargs)
        try:
            self._check(stream.get_extra_info("socket"))
        except BaseException:
            await stream.aclose()
            raise
        return stream


_POOL = {
    "max_connections": CONNECTIONS,
    "max_keepalive_connections": CONNECTIONS,
    "keepalive_expiry": KEEP_ALIVE_SECONDS,
}


def _certificates() -> ssl.SSLContext:
    """The system's authorities, or those of SSL_CERT_FILE; proxies of the environment are ignored."""
    return ssl.create_default_context()


def transport(check: Check | None) -> httpx.HTTPTransport:
    """Connections of a synchronous client; with `check`, nothing is sent before it has passed."""
    made = httpx.HTTPTransport(verify=_certificates(), trust_env=False)
    if check is not None:
        _require_pool(made, httpcore.ConnectionPool)
        made._pool = httpcore.ConnectionPool(network_backend=_VerifiedBackend(check), **_POOL)  # type: ignore[arg-type]
    return made


def async_transport(check: Check | None) -> httpx.AsyncHTTPTransport:
    """The same for an asynchronous client."""
    made = httpx.AsyncHTTPTransport(verify=_certificates(), trust_env=False)
    if check is not None:
        _require_pool(made, httpcore.AsyncConnectionPool)
        backend = _AsyncVerifiedBackend(check)
        made._pool = httpcore.AsyncConnectionPool(network_backend=backend, **_POOL)  # type: ignore[arg-type]
    return made


def _require_pool(made: object, kind: type) -> None:
    """httpx takes no network backend. If it keeps its pool elsewhere, nothing may be sent."""
    if not isinstance(getattr(made, "_pool", None), kind):
        raise RuntimeError("this version of httpx cannot be used: connections cannot be checked")
