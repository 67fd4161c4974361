"""The clock and the random number generator: both stand still in a machine that is saved."""

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
    """Copies of one saved machine draw different numbers from here on."""
    with open("/dev/urandom", "wb", buffering=0) as device:
        fcntl.ioctl(device, RNDADDENTROPY, struct.pack("ii", len(data) * 8, len(data)) + data)
        fcntl.ioctl(device, RNDRESEEDCRNG)
