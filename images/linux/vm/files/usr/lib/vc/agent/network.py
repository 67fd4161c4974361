"""Configures the network interface with the ioctls of netdevice(7), without starting a program."""

import fcntl
import ipaddress
import os
import re
import socket
import struct
import time

import identity

NETWORK = "/sys/class/net"
# IFF_UP, IFF_BROADCAST and IFF_MULTICAST of linux/if.h
UP = 0x1003

# linux/sockios.h
SIOCADDRT = 0x890B
SIOCSIFFLAGS = 0x8914
SIOCSIFADDR = 0x8916
SIOCSIFNETMASK = 0x891C
SIOCSIFHWADDR = 0x8924


def parse(mac, network):
    """Returns the argument of `apply`. Raises ValueError."""
    if mac is not None and not (
        isinstance(mac, str) and re.fullmatch(r"([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}", mac)
    ):
        raise ValueError("mac must be six bytes")
    if network is None:
        return mac, None
    if not isinstance(network, dict) or not isinstance(network.get("dns"), list):
        raise ValueError("network must be an object with address, gateway and dns, or null")
    address = ipaddress.IPv4Interface(network.get("address"))
    gateway = ipaddress.IPv4Address(network.get("gateway"))
    servers = [str(ipaddress.ip_address(server)) for server in network["dns"]]
    return mac, (address, gateway, servers)


def apply(link):
    mac, network = link
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        set_flags(control, "lo", UP)
        card = find_card(wait=mac is not None or network is not None)
        if card is None:
            return
        # Setting the interface down removes its addresses and routes.
        set_address(control, card, SIOCSIFADDR, "0.0.0.0")
        set_flags(control, card, 0)
        if mac is not None:
            address = bytes.fromhex(mac.replace(":", ""))
            ask(control, SIOCSIFHWADDR, card, struct.pack("H6s", 1, address))
        servers = []
        if network is not None:
            address, gateway, servers = network
            set_address(control, card, SIOCSIFADDR, str(address.ip))
            set_address(control, card, SIOCSIFNETMASK, str(address.netmask))
            set_flags(control, card, UP)
            add_default_route(control, str(gateway))
    identity.write("/etc/resolv.conf", "".join(f"nameserver {server}\n" for server in servers))


def find_card(wait):
    """The name of the network card, whose module may still be loading."""
    end = time.monotonic() + 3
    while True:
        for name in sorted(os.listdir(NETWORK)):
            if os.path.exists(f"{NETWORK}/{name}/device"):
                return name
        if not wait or time.monotonic() > end:
            return None
        time.sleep(0.01)


def ask(control, request, name, value):
    fcntl.ioctl(control, request, struct.pack("16s24s", name.encode(), value))


def set_flags(control, name, flags):
    ask(control, SIOCSIFFLAGS, name, struct.pack("h", flags))


def set_address(control, name, request, address):
    ask(control, request, name, socket_address(address))


def socket_address(address):
    return struct.pack("HH4s8x", socket.AF_INET, 0, socket.inet_aton(address))


def add_default_route(control, gateway):
    """struct rtentry of linux/route.h."""
    up_and_gateway = 3
    anywhere = socket_address("0.0.0.0")
    route = struct.pack(
        "L16s16s16sHhLLhPLLH",
        *(0, anywhere, socket_address(gateway), anywhere),
        *(up_and_gateway, 0, 0, 0, 0, 0, 0, 0, 0),
    )
    fcntl.ioctl(control, SIOCADDRT, route)
