"""A screen or shell server of a hostile guest, with a different attack for every connection.

guest.py screen: listens in place of the X server. guest.py shell: serves one connection on standard
input and output, in place of sshd. /tmp/hostile-SERVER has the number of the attack.
"""

import os
import socket
import struct
import sys
import threading
import time

SOCKET = "/run/vc/rfb.sock"


def forever(write, part):
    while True:
        write(part)


def silent(write, read):
    time.sleep(600)


def endless_greeting(start):
    def serve(write, read):
        write(start)
        forever(write, b"x" * 65536)

    return serve


def nonsense(start):
    def serve(write, read):
        write(start)
        forever(write, os.urandom(65536))

    return serve


def opened(write, read, width, height):
    """Performs the RFB handshake without authentication."""
    write(b"RFB 003.008\n")
    read(12)
    write(b"\1\1")
    read(1)
    write(struct.pack(">I", 0))
    read(1)
    pixels = struct.pack(">BBBBHHHBBB3x", 32, 24, 0, 1, 255, 255, 255, 16, 8, 0)
    write(struct.pack(">HH", width, height) + pixels + struct.pack(">I", 4) + b"evil")


def gigantic(write, read):
    opened(write, read, 65535, 65535)
    forever(write, bytes(65536))


def flood(write, read):
    opened(write, read, 64, 48)
    picture = struct.pack(">BxHHHHHi", 0, 1, 0, 0, 64, 48, 0) + bytes(64 * 48 * 4)
    forever(write, picture)


def half_a_picture(write, read):
    opened(write, read, 64, 48)
    write(struct.pack(">BxHHHHHi", 0, 1, 0, 0, 64, 48, 0) + bytes(100))
    time.sleep(600)


def hangs_up(write, read):
    pass


SERVERS = {
    "screen": [
        hangs_up,
        endless_greeting(b"RFB 003.008"),
        nonsense(b"RFB 003.008\n\1\1\0\0\0\0"),
        gigantic,
        half_a_picture,
        silent,
        flood,
    ],
    "shell": [
        hangs_up,
        endless_greeting(b""),
        endless_greeting(b"SSH-2.0-"),
        nonsense(b"SSH-2.0-OpenSSH_9.2\r\n"),
        silent,
    ],
}


def turn(name):
    path = f"/tmp/hostile-{name}"
    number = os.path.getsize(path) if os.path.exists(path) else 0
    with open(path, "ab") as file:
        file.write(b".")
    return SERVERS[name][number % len(SERVERS[name])]


def connection(client):
    serve = turn("screen")
    try:
        serve(client.sendall, lambda size: client.recv(size, socket.MSG_WAITALL))
    except OSError:
        pass
    client.close()


if sys.argv[1] == "shell":
    serve = turn("shell")
    serve(lambda data: os.write(1, data), lambda size: os.read(0, size))
else:
    server = socket.socket(socket.AF_UNIX)
    server.bind(SOCKET + ".new")
    os.chmod(SOCKET + ".new", 0o666)
    server.listen()
    os.rename(SOCKET + ".new", SOCKET)
    open("/tmp/hostile-listens", "w").close()
    while True:
        threading.Thread(target=connection, args=server.accept()[:1], daemon=True).start()
