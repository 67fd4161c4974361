"""A stream between the host and a program: one process, which serves one connection at a time."""

import os
import select
import socket
import sys
import time
import traceback

import ports

HANG_UP_SECONDS = 2
RESET, DROP, DONE, STILL_CONNECTED = b"r", b"d", b"k", b"c"


class Stream:
    """Connections over a port. The guest can signal the end of a connection only by closing the port,
    which QEMU reports as an event. An immediate reconnection of the host may go unnoticed, so the
    host requests `reset` while it is disconnected."""

    def __init__(self, name, orders, fresh):
        self.name = name
        self.orders = orders
        self.port = ports.open_port(name)
        # Whether the current connection is a new one.
        self.fresh = fresh

    def wait(self):
        """Waits for a new connection from the host."""
        while not self.fresh or not ports.is_connected(self.port):
            if ports.is_connected(self.port):
                # The guest has closed this connection; wait until the host disconnects.
                poll = select.poll()
                poll.register(self.port, 0)
                poll.register(self.orders, select.POLLIN)
                poll.poll()
            else:
                self.fresh = True
                ports.wait_connected(self.port, self.orders)
            if select.select([self.orders], [], [], 0)[0]:
                self.obey()
        self.fresh = False

    def obey(self):
        """Drops the connection on an order of the agent. With RESET, waits until the host has
        disconnected as well, so that the next connection is certainly new."""
        order = self.orders.recv(1)
        if not order:
            os._exit(0)  # The agent has ended.
        self.renew()
        end = time.monotonic() + HANG_UP_SECONDS
        while order == RESET and ports.is_connected(self.port) and time.monotonic() < end:
            time.sleep(0.002)
        self.fresh = not ports.is_connected(self.port)
        self.orders.send(DONE if self.fresh or order == DROP else STILL_CONNECTED)

    def renew(self):
        """Discards the data of a connection, so that none of it reaches the next one."""
        os.close(self.port)
        self.port = ports.open_port(self.name)


class StreamProcess:
    """A process that runs `serve(stream)` for every connection."""

    def __init__(self, name, serve, fresh):
        self.name = name
        self.serve = serve
        self.start(fresh)

    def start(self, fresh):
        self.orders, theirs = socket.socketpair()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self.orders.close()
                run(self.name, self.serve, theirs, fresh)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        theirs.close()
        self.orders.settimeout(2 * HANG_UP_SECONDS)

    def restart(self):
        """Restarts the process after it has ended."""
        self.orders.close()
        time.sleep(0.1)
        self.start(False)

    def reset(self):
        """Ends the connection after the host has disconnected."""
        self.order(RESET)

    def drop(self):
        """Ends the connection even if the host is still connected."""
        self.order(DROP)

    def order(self, order):
        self.orders.send(order)
        answer = self.orders.recv(1)
        if answer == STILL_CONNECTED:
            raise OSError(f"the host is still connected to {self.name}")
        if answer != DONE:
            raise OSError(f"{self.name} has ended; try again")


def run(name, serve, orders, fresh):
    stream = Stream(name, orders, fresh)
    while True:
        stream.wait()
        try:
            serve(stream)
        except OSError as error:
            print(f"vc: {name}: {error}", file=sys.stderr)
        if stream.fresh:
            continue
        # Closing the port signals the end of the connection to the host.
        stream.renew()
