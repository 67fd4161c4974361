"""Powers the machine off within a second, with a clean file system."""

import os
import signal
import time

GRACE_SECONDS = 0.4


def off(reboot=False):
    signal_all(signal.SIGTERM)
    end = time.monotonic() + GRACE_SECONDS
    while programs() and time.monotonic() < end:
        time.sleep(0.02)
    signal_all(signal.SIGKILL)
    os.sync()
    os.system("busybox mount -o remount,ro /")
    os.execvp("busybox", ["busybox", "reboot" if reboot else "poweroff", "-f"])


def signal_all(number):
    try:
        os.kill(-1, number)
    except ProcessLookupError:
        pass


def programs():
    """Whether any process runs except the first one, this one and kernel threads."""
    for name in os.listdir("/proc"):
        if name.isdecimal() and int(name) not in (1, os.getpid()):
            try:
                if os.readlink(f"/proc/{name}/exe"):
                    return True
            except OSError:
                continue
    return False
