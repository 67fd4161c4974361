"""Answers the host's requests on the control port: JSON objects, one per line."""

import json
import os
import select
import signal
import sys
import threading
import time

import operations
import ports

LONGEST_LINE = 1 << 16
WRITE_SECONDS = 5


class Control:
    def __init__(self, streams):
        self.streams = streams
        self.machine = operations.Machine(streams)
        self.port = ports.open_port("vc.control")
        # Answers to requests of an earlier connection are dropped.
        self.connection = 0
        self.lock = threading.Lock()
        self.rest = b""
        self.too_long = False
        self.wake, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)

    def run(self):
        poll = select.poll()
        poll.register(self.port, select.POLLIN)
        poll.register(self.wake, select.POLLIN)
        while True:
            for ready, mask in poll.poll():
                if ready == self.wake:
                    self.signalled()
                elif mask & select.POLLIN and self.read():
                    continue
                elif mask & select.POLLHUP:
                    self.connection += 1
                    self.rest = b""
                    self.too_long = False
                    ports.wait_connected(self.port, self.wake)

    def signalled(self):
        numbers = os.read(self.wake, 4096)
        if signal.SIGTERM in numbers or signal.SIGINT in numbers:
            self.machine.power_off(reboot=signal.SIGINT in numbers)
        self.machine.reap()

    def read(self):
        """Handles the available input. Returns False at the end of the input."""
        try:
            data = os.read(self.port, LONGEST_LINE)
        except BlockingIOError:
            return True
        if not data:
            return False
        *lines, rest = (self.rest + data).split(b"\n")
        for line in lines:
            self.line(line)
        self.too_long = (self.too_long and not lines) or len(rest) > LONGEST_LINE
        self.rest = b"" if self.too_long else rest
        return True

    def line(self, line):
        if self.too_long or len(line) > LONGEST_LINE:
            self.too_long = False
            self.answer(self.connection, None, {"ok": False, "error": "the line is too long"})
        elif line.strip():
            self.ask(line)

    def ask(self, line):
        connection = self.connection
        identifier = None
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                raise ValueError("not an object")
            identifier = request.get("id")
            work = self.machine.operation(request)
        except (ValueError, RecursionError) as error:
            self.answer(connection, identifier, {"ok": False, "error": str(error)})
            return

        def answer():
            self.answer(connection, identifier, attempt(work, request))

        if request["do"] in operations.LASTING:
            threading.Thread(target=answer, daemon=True).start()
        else:
            answer()
            if request["do"] == "shutdown":
                self.machine.power_off()

    def answer(self, connection, identifier, result):
        data = json.dumps({"id": identifier, **result}).encode() + b"\n"
        end = time.monotonic() + WRITE_SECONDS
        with self.lock:
            while data and connection == self.connection and time.monotonic() < end:
                try:
                    data = data[os.write(self.port, data) :]
                except BlockingIOError:
                    time.sleep(0.005)  # Not a poll: see ports.py.


def attempt(work, request):
    try:
        return {"ok": True, **(work(request) or {})}
    except Exception as error:
        print(f"vc: {request['do']}: {error!r}", file=sys.stderr)
        return {"ok": False, "error": str(error) or repr(error)}
