"""The agent of a virtual machine, as root: what the host asks for, and the streams to screen and shell.

Each of the two streams has a process of its own, so that a busy screen never waits for anything
else. They end with this one, and are started again when they fail.
"""

import os
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import control
import processes
import screen
import shell
from streams import StreamProcess

PID_FILE = "/run/vc-agent.pid"


def main():
    # Where there is such a file, an earlier agent has ended: whoever is connected was connected to
    # that one, and must connect again.
    first = not os.path.exists(PID_FILE)
    with open(PID_FILE, "w") as file:
        file.write(str(os.getpid()))
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    processes.favour(0)
    streams = {
        "screen": StreamProcess("vc.screen", screen.serve, first),
        "shell": StreamProcess("vc.shell", shell.serve, first),
    }
    control.Control(streams).run()


main()
