"""Virtio serial ports by name. See drivers/char/virtio_console.c of Linux.

Only one poller at a time may poll a port, and always for input: each poll takes the available input
from the queue, so no other poller is woken for it.
"""

import errno
import os
import select
import time

PORTS = "/sys/class/virtio-ports"


def open_port(name):
    """Opens a port as soon as it exists and is not in use. Reads and writes do not block. Closing it
    discards unread input from the host."""
    while True:
        device = find_port(name)
        if device is not None:
            try:
                return os.open(device, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
            except OSError as error:
                if error.errno not in (errno.EBUSY, errno.ENOENT, errno.ENXIO):
                    raise
        time.sleep(0.01)


def find_port(name):
    try:
        for device in os.listdir(PORTS):
            with open(f"{PORTS}/{device}/name") as file:
                if file.read().strip() == name:
                    return f"/dev/{device}"
    except OSError:
        pass
    return None


def wait_connected(port, *others):
    """Waits until the host's end is connected, one of `others` is readable, or a second has passed."""
    # Edge-triggered, because a disconnected port is always readable. A new connection makes the port
    # writable; the host may wait for a greeting and send nothing.
    with select.epoll() as events:
        events.register(port, select.EPOLLIN | select.EPOLLOUT | select.EPOLLET)
        for other in others:
            events.register(other, select.EPOLLIN)
        while not is_connected(port):
            if any(ready != port for ready, _ in events.poll(1)):
                return


def is_connected(port):
    """Whether the host's end is connected. If not, reading returns b"" at once."""
    poll = select.poll()
    poll.register(port, 0)
    return not any(mask & select.POLLHUP for _, mask in poll.poll(0))
