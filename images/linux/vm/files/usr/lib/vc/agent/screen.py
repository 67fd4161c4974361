"""The screen stream: the host's bytes to and from the X server's RFB socket."""

import select
import socket

import ports
from relay import Relay

RFB = "/run/vc/rfb.sock"


def serve(stream):
    """Serves one connection until either side ends it."""
    server = connect(stream)
    if server is not None:
        with server:
            Relay(stream, server).run()


def connect(stream):
    """The X server may still be starting, or starting again."""
    while ports.is_connected(stream.port) and not stream.fresh:
        server = socket.socket(socket.AF_UNIX)
        try:
            server.connect(RFB)
            return server
        except OSError:
            server.close()
        if select.select([stream.orders], [], [], 0.02)[0]:
            stream.obey()
    return None
