"""The clock and the random number generator, whose states are old in a resumed machine."""

import binascii
import fcntl
import struct
import time

# linux/random.h
RNDADDENTROPY = 0x40085203
RNDRESEEDCRNG = 0x5207


def set_time(milliseconds):
    time.clock_settime_ns(time.CLOCK_REALTIME, int(milliseconds * 1_000_000))


def parse_entropy(value):
    if not isinstance(value, str):
        raise ValueError("entropy must be base64")
    try:
        data = binascii.a2b_base64(value)
    except binascii.Error as error:
        raise ValueError("entropy must be base64") from error
    if not 32 <= len(data) <= 512:
        raise ValueError("entropy must be 32 to 512 bytes")
    return data


def add_entropy(data):
    """Reseeds the generator, so that copies of one saved machine get different numbers."""
    with open("/dev/urandom", "wb", buffering=0) as device:
        fcntl.ioctl(device, RNDADDENTROPY, struct.pack("ii", len(data) * 8, len(data)) + data)
        fcntl.ioctl(device, RNDRESEEDCRNG)
