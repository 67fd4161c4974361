"""The shell stream: an SSH server for each connection.

The port cannot be the server's input and output: sshd polls both, and Linux loses the event of new
data if a port has several pollers (a poll takes the buffer from the queue, and an interrupt that
then finds the queue empty wakes no poller).
"""

import os
import signal
import socket

import processes
from relay import Relay


def serve(stream):
    """Serves one connection until either side closes it. The server exits at the end of its input."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
            processes.start(
                ["/usr/lib/vc/sshd"],
                environment=processes.USER_ENVIRONMENT,
                user=processes.USER,
                files=(theirs.fileno(), theirs.fileno(), null),
            )
            os.close(null)
        Relay(stream, ours).run()
