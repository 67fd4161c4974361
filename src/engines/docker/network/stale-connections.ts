/**
 * Python: removes the connections of networks that are gone from the kernel's connection tracking,
 * where they would stay for five days. Argument: the pool of these networks. A connection is removed
 * if its source is in the pool and no route to a part of the pool leads there.
 *
 * Speaks to the kernel as libnetfilter_conntrack does: a dump, then a message for each removal
 * (include/uapi/linux/netfilter/nfnetlink_conntrack.h).
 */
export const REMOVE_STALE_CONNECTIONS = `import socket, struct, subprocess, sys
from ipaddress import ip_address, ip_network

POOL = ip_network(sys.argv[1])
NETFILTER, REQUEST, DUMP, ACK = 12, 1, 0x300, 4
GET, DELETE, ERROR, DONE = 0x101, 0x102, 2, 3
TUPLE, ADDRESSES, SOURCE = 1, 1, 1
IPV4 = struct.pack('=BBH', socket.AF_INET, 0, 0)
kernel = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETFILTER)
kernel.settimeout(10)

def send(kind, flags, body=b''):
    kernel.send(struct.pack('=IHHII', 20 + len(body), kind, flags, 0, 0) + IPV4 + body)

def messages():
    """The kernel's messages: the kind of each, and what follows its header."""
    while True:
        data = kernel.recv(1 << 16)
        while data:
            length, kind = struct.unpack('=IH', data[:6])
            yield kind, data[16:length]
            data = data[-(-length // 4) * 4:]

def attribute(data, wanted):
    """An attribute with its header, and without; empty if there is none."""
    while len(data) >= 4:
        length, kind = struct.unpack('=HH', data[:4])
        if length < 4:
            break
        if kind & 0x3fff == wanted:
            return data[:-(-length // 4) * 4], data[4:length]
        data = data[-(-length // 4) * 4:]
    return b'', b''

found = []
send(GET, REQUEST | DUMP)
for kind, body in messages():
    if kind in (ERROR, DONE):
        break
    whole, inner = attribute(body[4:], TUPLE)
    source = attribute(attribute(inner, ADDRESSES)[1], SOURCE)[1]
    if len(source) == 4 and ip_address(source) in POOL:
        found.append((ip_address(source), whole))
# Read after the dump: networks that came meanwhile have no connections in it.
lines = subprocess.run(['ip', '-4', 'route', 'show', 'table', 'all'], capture_output=True, text=True, check=True).stdout
routes = []
for line in lines.splitlines():
    words = [word for word in line.split() if word not in ('unicast', 'local', 'broadcast')]
    if words and words[0][0].isdigit() and ip_network(words[0], strict=False).prefixlen > 0:
        routes.append(ip_network(words[0], strict=False))
routes = [route for route in routes if route.subnet_of(POOL)]
known = {}
for source, whole in found:
    if source not in known:
        known[source] = any(source in route for route in routes)
    if not known[source]:
        send(DELETE, REQUEST | ACK, whole)
        next(messages())
`;
