"""The screen stream: the host's bytes to and from the X server's RFB socket."""

import select
import socket
import struct

import ports
import processes
from relay import Relay

RFB = "/run/vc/rfb.sock"


def serve(stream):
    """Serves one connection until either side ends it."""
    server = connect(stream)
    if server is not None:
        with server:
            Relay(stream, server).run()


def connect(stream):
    """Connects to the X server, which may still be starting."""
    while ports.is_connected(stream.port) and not stream.fresh:
        server = socket.socket(socket.AF_UNIX)
        try:
            server.connect(RFB)
            processes.favour(listener(server))
            return server
        except OSError:
            server.close()
        if select.select([stream.orders], [], [], 0.02)[0]:
            stream.obey()
    return None


def listener(server):
    """The process that listens at the other end of a connection."""
    credentials = server.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return struct.unpack("3i", credentials)[0]
