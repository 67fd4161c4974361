"""A WebSocket of a computer for asyncio, without what its messages mean."""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
from typing import Any, Coroutine, Mapping, TypeVar

from websockets.exceptions import InvalidStatus
from websockets.frames import Frame, Opcode
from websockets.uri import parse_uri

from ._operations.computer import Target
from ._errors import ServiceUnreachableError, error_from_answer, not_listening
from ._requests import CONNECT_SECONDS

try:
    from websockets.client import ClientProtocol  # type: ignore[attr-defined]
except ImportError:  # websockets before 11
    from websockets.client import ClientConnection as ClientProtocol

PIECE = 64 * 1024
"""The service takes messages of at most 256 KiB."""
UNREAD_BYTES = 16 * 1024 * 1024
LARGEST_MESSAGE = 16 * 1024 * 1024
ANSWER_SECONDS = 90.0

T = TypeVar("T")


class AsyncSocket:
    """Messages of a WebSocket. One whose messages nobody reads is read no further after 16 MiB."""

    _receiving: asyncio.Task[None]

    def __init__(self, of: Target) -> None:
        self._of = of
        self._base_url = of.session.settings.base_url
        self._unread = 0
        self._changed = asyncio.Event()
        self._fragments = b""
        self._is_text = False

    @property
    def _is_over(self) -> bool:
        """Whether nothing more is expected."""
        raise NotImplementedError

    def _take_text(self, message: Mapping[str, Any]) -> None:
        raise NotImplementedError

    def _take_bytes(self, message: bytes) -> None:
        raise NotImplementedError

    def _lose(self, error: Exception) -> None:
        """The connection has ended before that was expected."""
        raise NotImplementedError

    async def close(self) -> None:
        """Disconnects."""
        self._receiving.cancel()
        await asyncio.gather(self._receiving, return_exceptions=True)
        self._writer.close()

    async def _connect(self, path: str) -> None:
        session = self._of.session
        uri = parse_uri("ws" + self._base_url[len("http") :] + path)
        context = ssl.create_default_context() if uri.secure else None
        try:
            opening = asyncio.open_connection(uri.host, uri.port, ssl=context)
            self._reader, self._writer = await asyncio.wait_for(opening, CONNECT_SECONDS)
        except (OSError, asyncio.TimeoutError) as error:
            if isinstance(error, ConnectionRefusedError):
                raise not_listening(self._base_url) from error
            reason = str(error) or "no connection in time"
            raise ServiceUnreachableError(self._base_url, reason) from error
        try:
            self._protocol = ClientProtocol(uri, max_size=LARGEST_MESSAGE)
            request = self._protocol.connect()
            for name, value in session.headers.items():
                request.headers[name] = value
            self._protocol.send_request(request)
            await asyncio.wait_for(self._shake_hands(), ANSWER_SECONDS)
        except BaseException:
            self._writer.close()
            raise

    async def _shake_hands(self) -> None:
        await self._flush()
        while self._protocol.state.name == "CONNECTING" and self._protocol.handshake_exc is None:
            data = await self._reader.read(PIECE)
            if not data:
                self._protocol.receive_eof()
            else:
                self._protocol.receive_data(data)
            if not data and self._protocol.handshake_exc is None:
                raise ServiceUnreachableError(self._base_url, "the connection was closed")
        refusal = self._protocol.handshake_exc
        if isinstance(refusal, InvalidStatus):
            answer = refusal.response
            headers = {name.lower(): value for name, value in answer.headers.raw_items()}
            body = answer.body or b""
            raise error_from_answer(self._base_url, answer.status_code, headers, body)
        if refusal is not None:
            raise ServiceUnreachableError(self._base_url, str(refusal)) from refusal

    async def _flush(self) -> None:
        self._write_pending()
        await self._writer.drain()

    def _write_pending(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._writer.write(data)

    async def _send(self, message: bytes | Mapping[str, Any]) -> None:
        if self._protocol.state.name != "OPEN":
            return
        if isinstance(message, bytes):
            self._protocol.send_binary(message)
        else:
            self._protocol.send_text(json.dumps(message).encode())
        try:
            await self._flush()
        except ConnectionError:
            pass  # _receive() says why.

    async def _receive(self) -> None:
        lost: Exception = ServiceUnreachableError(self._base_url, "the connection was lost")
        try:
            while True:
                # The first ones may have come with the answer to the handshake.
                for event in self._protocol.events_received():
                    if isinstance(event, Frame):
                        self._note(event)
                # Never waits: the service may read input only when its output is read.
                self._write_pending()
                while self._unread > UNREAD_BYTES:
                    self._changed.clear()
                    await self._changed.wait()
                if self._is_over or not (data := await self._reader.read(PIECE)):
                    break
                self._protocol.receive_data(data)
        except OSError as error:
            lost.__cause__ = error
        except asyncio.CancelledError:
            lost = ServiceUnreachableError(self._base_url, "the connection was closed")
            raise
        finally:
            if not self._is_over:
                self._lose(lost)
            self._changed.set()

    def _note(self, frame: Frame) -> None:
        if frame.opcode in (Opcode.TEXT, Opcode.BINARY):
            self._is_text, self._fragments = frame.opcode is Opcode.TEXT, b""
        elif frame.opcode is not Opcode.CONT:
            return
        self._fragments += frame.data
        if not frame.fin or self._is_over:
            return
        if self._is_text:
            self._take_text(json.loads(self._fragments))
        else:
            self._take_bytes(self._fragments)


class Loop:
    """An event loop in a thread of its own, for a connection that is used without `await`."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def spawn(self, work: Coroutine[Any, Any, T]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        result: T = self.spawn(work).result()
        return result

    def end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
