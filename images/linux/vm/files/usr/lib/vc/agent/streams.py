"""One stream between the host and a program: a process each, and one connection after the other."""

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
    """A port as connections. The host cannot be told that the guest's end has hung up, except by
    closing the port, which QEMU reports as an event; and a host that hangs up and connects again
    at once may go unnoticed. `reset` is for that: the host asks for it while it is disconnected."""

    def __init__(self, name, orders, fresh):
        self.name = name
        self.orders = orders
        self.port = ports.open_port(name)
        # Whether a connection that is there now is a new one.
        self.fresh = fresh

    def wait(self):
        """Waits for a new connection of the host."""
        while not self.fresh or not ports.is_connected(self.port):
            if ports.is_connected(self.port):
                # The rest of one that has ended here: the host has yet to hang up.
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
        """Drops the connection as the agent asked for. With RESET, waits until the host has hung up,
        too, so that the next connection is a new one for certain."""
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
        """Drops what is left of a connection: nothing of it can reach the next one."""
        os.close(self.port)
        self.port = ports.open_port(self.name)


class StreamProcess:
    """Keeps a process that runs `serve(stream)` for every connection."""

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
        """After the process has ended."""
        self.orders.close()
        time.sleep(0.1)
        self.start(False)

    def reset(self):
        """Ends the connection. The host's next one is taken for a new one for certain."""
        self.order(RESET)

    def drop(self):
        """Ends the connection, which the host may not have ended."""
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
        # Its end is all that the host can be told.
        stream.renew()
