"""Copies bytes between a port and a socket."""

import os
import select

CHUNK = 1 << 18


class Relay:
    """Copies both directions in one loop. While one side accepts no data, the other is not read."""

    def __init__(self, stream, server):
        self.stream = stream
        self.port = stream.port
        self.server = server
        server.setblocking(False)
        self.to_host = b""
        self.to_server = b""

    def run(self):
        poll = select.poll()
        server = self.server.fileno()
        orders = self.stream.orders.fileno()
        poll.register(orders, select.POLLIN)
        wanted = None
        while True:
            interest = (
                (0 if self.to_server else select.POLLIN) | (select.POLLOUT if self.to_host else 0),
                (0 if self.to_host else select.POLLIN) | (select.POLLOUT if self.to_server else 0),
            )
            if interest != wanted:
                wanted = interest
                poll.register(self.port, interest[0])
                poll.register(server, interest[1])
            for ready, mask in poll.poll():
                if ready == orders:
                    self.stream.obey()
                    return
                if ready == self.port:
                    if mask & select.POLLHUP:
                        self.stream.fresh = True
                        self.stream.renew()
                        return
                    if mask & select.POLLIN:
                        data = os.read(self.port, CHUNK)
                        if not data:
                            continue  # The host has disconnected; the next poll reports it.
                        self.to_server = send(self.server.send, data)
                    elif mask & select.POLLOUT:
                        self.to_host = self.write(self.to_host)
                elif mask & select.POLLIN:
                    try:
                        data = self.server.recv(CHUNK)
                    except BlockingIOError:
                        continue
                    if not data:
                        return
                    self.to_host = self.write(data)
                elif mask & (select.POLLHUP | select.POLLERR):
                    return
                elif mask & select.POLLOUT:
                    self.to_server = send(self.server.send, self.to_server)

    def write(self, data):
        return send(lambda part: os.write(self.port, part), data)


def send(write, data):
    """Writes as much as possible without blocking. Returns the rest."""
    view = memoryview(data)
    try:
        while view:
            view = view[write(view) :]
    except BlockingIOError:
        pass
    return view
