"""The agent of a virtual machine, run as root: answers the host, and serves the screen and shell streams.

Each of the two streams has its own process, so that nothing else delays the screen. The processes
end with this one, and are restarted when they fail.
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
    # If the file exists, an earlier agent has ended: existing connections belong to that agent, and
    # the host must connect again.
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
