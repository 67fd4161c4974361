"""Prepares the machine for being saved: idle, with little memory in use and nothing to write."""

import fcntl
import os
import struct
import time

import processes

# linux/fs.h
FITRIM = 0xC0185879

QUIET_SECONDS = 1
LONGEST_SECONDS = 30
BUSY_SHARE = 0.08

# The programs that every computer runs first. They are run after the caches are dropped, so that
# their files are in the saved memory.
WARM = (
    ["/bin/bash", "-c", "sleep 0; cat /dev/null"],
    ["/usr/bin/python3", "-c", "pass"],
    ["/usr/sbin/sshd", "-t", "-f", "/usr/lib/vc/sshd_config", "-h", "/var/lib/vc/ssh_host_ed25519_key"],
)


def settle():
    wait_until_quiet()
    os.sync()
    trim()
    with open("/proc/sys/vm/drop_caches", "w") as file:
        file.write("3")
    for argv in WARM:
        try:
            processes.run(argv, processes.USER_ENVIRONMENT, processes.USER)
        except OSError:
            pass
    os.sync()


def wait_until_quiet():
    """Waits until the processors have been idle for a second."""
    end = time.monotonic() + LONGEST_SECONDS
    before = processor_times()
    while time.monotonic() < end:
        time.sleep(QUIET_SECONDS)
        now = processor_times()
        total = sum(now) - sum(before)
        idle = now[3] + now[4] - before[3] - before[4]
        if total > 0 and (total - idle) / total < BUSY_SHARE:
            return
        before = now


def processor_times():
    with open("/proc/stat") as file:
        return [int(word) for word in file.readline().split()[1:9]]


def trim():
    root = os.open("/", os.O_RDONLY)
    try:
        fcntl.ioctl(root, FITRIM, struct.pack("QQQ", 0, 2**64 - 1, 0))
    except OSError:
        pass  # Not every disk supports it.
    finally:
        os.close(root)
