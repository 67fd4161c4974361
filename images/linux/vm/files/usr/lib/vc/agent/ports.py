"""Virtio serial ports by name. See drivers/char/virtio_console.c of Linux for how they behave.

A port may be polled by one at a time only, and for input whenever it is: each poll takes what has
come from the queue, and then nobody else is woken for it.
"""

import errno
import os
import select
import time

PORTS = "/sys/class/virtio-ports"


def open_port(name):
    """Opens a port as soon as it is there and nobody else has it. Does not block on reading or
    writing. Closing it throws away what came from the host and was not read."""
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
    """Waits until the host's end is connected, one of `others` is readable, or a while has passed."""
    # Edge-triggered, because a port without a host is always ready to be read. One that becomes
    # connected becomes ready to be written; a host that waits for a greeting sends nothing.
    with select.epoll() as events:
        events.register(port, select.EPOLLIN | select.EPOLLOUT | select.EPOLLET)
        for other in others:
            events.register(other, select.EPOLLIN)
        while not is_connected(port):
            if any(ready != port for ready, _ in events.poll(1)):
                return


def is_connected(port):
    """Whether the host's end is connected. While it is not, reading gives b"" at once."""
    poll = select.poll()
    poll.register(port, 0)
    return not any(mask & select.POLLHUP for _, mask in poll.poll(0))
