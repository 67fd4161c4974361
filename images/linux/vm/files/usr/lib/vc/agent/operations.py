"""The operations that the host can request."""

import os
import re
import time

import clock
import identity
import network
import power
import processes
import settle
import volumes

VERSION = 1
READY = "/run/vc/ready"
READY_SECONDS = 300

# Operations that wait, while others are answered.
LASTING = ("ready", "settle")


class Machine:
    def __init__(self, streams):
        self.streams = streams
        self.desktop = None
        self.environment = None
        self.running = os.path.exists("/run/vc-desktop")

    def operation(self, request):
        """The function that answers a request."""
        names = ("hello", "mount", "configure", "ready", "settle", "reset", "shutdown")
        if request.get("do") not in names:
            raise ValueError(f"do must be one of {', '.join(names)}")
        return getattr(self, request["do"])

    def hello(self, _request):
        return {"booted": True, "version": VERSION, "desktop": self.running}

    def configure(self, request):
        """Applies the configuration of the host. An invalid request changes nothing."""
        hostname = text(request, "hostname", r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
        key = text(request, "authorizedKey", r"[^\x00-\x1f\x7f]{1,8000}")
        resolution = text(request, "resolution", r"[1-9][0-9]{1,4}x[1-9][0-9]{1,4}")
        host_key = request.get("hostKey")
        if host_key is not None:
            host_key = text(request, "hostKey", r"-----BEGIN OPENSSH PRIVATE KEY-----\n[\x20-\x7e\n]{1,4000}")
        link = network.parse(request.get("mac"), request.get("network"))
        now = number(request, "time")
        entropy = clock.parse_entropy(request.get("entropy"))

        clock.set_time(now)
        clock.add_entropy(entropy)
        renewed = identity.renew(hostname, key, host_key)
        network.apply(link)
        self.start_desktop(hostname, key, resolution)
        if renewed:
            self.streams["shell"].drop()

    def mount(self, request):
        volumes.mount(volumes.parse(request.get("volumes")))

    def ready(self, _request):
        wait_until_painted()

    def settle(self, _request):
        wait_until_painted()
        settle.settle()

    def reset(self, request):
        """Closes a stream's connection after the host has disconnected. The host requests this before
        every connection, because an immediate reconnection would otherwise go unnoticed."""
        name = request.get("stream")
        if name not in self.streams:
            raise ValueError(f"stream must be one of {', '.join(self.streams)}")
        self.streams[name].reset()

    def shutdown(self, _request):
        """Does nothing: the caller powers off after the answer."""

    def power_off(self, reboot=False):
        self.environment = None
        power.off(reboot)

    def start_desktop(self, hostname, key, resolution):
        if self.running:
            return
        open("/run/vc-desktop", "w").close()
        self.running = True
        self.environment = {
            **processes.USER_ENVIRONMENT,
            "HOSTNAME": hostname,
            "VC_RESOLUTION": resolution,
            "VC_AUTHORIZED_KEY": key,
            # In an emulated machine, polling ten times per second takes too much processor time.
            "VC_PATIENCE": "10",
        }
        self.run_desktop()

    def run_desktop(self):
        self.desktop = processes.start(["/usr/lib/vc/init"], self.environment, processes.USER)

    def reap(self):
        """Reaps and restarts processes that have ended, the desktop with its X server."""
        for stream in self.streams.values():
            if processes.has_ended(stream.pid):
                stream.restart()
        if self.desktop and processes.has_ended(self.desktop) and self.environment is not None:
            # As in a container, all programs end with the desktop's main process.
            processes.kill_all_of(processes.USER)
            time.sleep(0.5)
            self.run_desktop()


def wait_until_painted():
    end = time.monotonic() + READY_SECONDS
    while not os.path.exists(READY):
        if time.monotonic() > end:
            raise TimeoutError(f"no desktop after {READY_SECONDS} s")
        time.sleep(0.02)


def text(request, name, pattern):
    value = request.get(name)
    if not isinstance(value, str) or not re.fullmatch(pattern, value):
        raise ValueError(f"{name} is not what it should be")
    return value


def number(request, name):
    value = request.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e14:
        raise ValueError(f"{name} is not what it should be")
    return value
