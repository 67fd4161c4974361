/**
 * Python: the calls of D-Bus that a walk needs, any number of them at once over one connection. The
 * image has no library for it, and one would take longer to load than the walk. What programs of the
 * computer send is checked: an error in it is a call without an answer.
 */
export const BUS = String.raw`import os, select, socket, struct, time

MOST_MESSAGE = 2 << 20
FORMATS = {'y': 'B', 'b': 'I', 'n': 'h', 'q': 'H', 'i': 'i', 'u': 'I', 'x': 'q', 't': 'Q', 'd': 'd'}

class Reader:
    """Reads the values of a message. Whatever is wrong with it raises ValueError or a relative."""
    def __init__(self, data, at, order):
        self.data, self.at, self.order = data, at, order

    def take(self, length):
        at = self.at
        self.at += length
        if self.at > len(self.data):
            raise ValueError
        return self.data[at:self.at]

    def number(self, code):
        code = FORMATS[code]
        size = struct.calcsize('=' + code)
        self.at += -self.at % size
        return struct.unpack(self.order + code, self.take(size))[0]

    def text(self, code='s'):
        length = self.number('y' if code == 'g' else 'u')
        text = bytes(self.take(length)).decode('utf-8', 'replace')
        self.at += 1
        return text

    def value(self, code):
        """A plain value, or a list of texts or pairs of name and path: what a walk needs."""
        if code == 'v':
            return self.value(self.text('g'))
        if code in FORMATS:
            return self.number(code)
        if code in ('s', 'o', 'g'):
            return self.text(code)
        if code == '(so)' or code == '(sss)' or code == '(iiii)':
            self.at += -self.at % 8
            return [self.value(each) for each in code[1:-1]]
        if code in ('as', 'au', 'a(so)', 'a(sss)'):
            length = self.number('u')
            self.at += -self.at % (8 if code[1] == '(' else 4)
            end = self.at + length
            values = []
            while self.at < end:
                values.append(self.value(code[1:]))
            return values
        raise ValueError

def text_of(value):
    data = value.encode()
    return struct.pack('<I', len(data)) + data + b'\0'

class Bus:
    """Calls over one connection, any number at once. Answers call then(value), or then(None)."""
    def __init__(self, address):
        self.socket = connect(address)
        self.socket.sendall(b'\0AUTH EXTERNAL ' + str(os.getuid()).encode().hex().encode() + b'\r\n')
        line = b''
        while not line.endswith(b'\r\n') and len(line) < 200:
            line += self.socket.recv(1) or os._exit(1)
        words = line.split()
        if len(words) != 2 or words[0] != b'OK':
            raise OSError('refused')
        self.guid = words[1].decode('latin1')
        self.socket.sendall(b'BEGIN\r\n')
        self.socket.setblocking(False)
        self.serial, self.calls, self.out, self.data, self.skip = 0, {}, bytearray(), bytearray(), 0
        self.call('org.freedesktop.DBus', '/', 'org.freedesktop.DBus', 'Hello', 's', lambda _: None)

    def call(self, to, path, interface, member, answer, then, sends='', body=b''):
        self.serial += 1
        fields = b''
        for code, kind, value in ((1, 'o', path), (2, 's', interface), (3, 's', member), (6, 's', to), (8, 'g', sends)):
            if value:
                fields += bytes(-len(fields) % 8) + bytes((code, 1)) + kind.encode() + b'\0'
                fields += bytes((len(value),)) + value.encode() + b'\0' if kind == 'g' else text_of(value)
        head = struct.pack('<cBBBIII', b'l', 1, 0, 1, len(body), self.serial, len(fields)) + fields
        self.out += head + bytes(-len(head) % 8) + body
        self.calls[self.serial] = (to, answer, then)

    def ask(self, *call):
        """One call and its answer."""
        answers = []
        self.call(*call[:5], answers.append, *call[5:])
        end = time.monotonic() + 5
        while not answers and time.monotonic() < end:
            self.turn(0.1)
        return answers[0] if answers else None

    def turn(self, seconds):
        """Sends and receives what is possible, after waiting for it."""
        ready, free, _ = select.select([self.socket], [self.socket] if self.out else [], [], seconds)
        if free:
            del self.out[:self.socket.send(self.out[:65536])]
        if not ready:
            return
        received = self.socket.recv(262144)
        if not received:
            raise OSError('closed')
        cut = min(self.skip, len(received))
        self.skip -= cut
        self.data += received[cut:]
        while len(self.data) >= 16:
            order = '>' if self.data[0] == 66 else '<'
            length, _, fields = struct.unpack(order + 'III', self.data[4:16])
            start = 16 + fields + -fields % 8
            if fields > 65536:
                raise OSError('too long')
            if len(self.data) < (start if length > MOST_MESSAGE else start + length):
                return
            total = start + length
            message = bytes(self.data[:total])
            self.skip = max(0, total - len(self.data))
            del self.data[:total]
            self.answer(message, start, fields, order, self.skip > 0 or length > MOST_MESSAGE)

    def answer(self, message, start, fields, order, is_failure):
        call = then = None
        value = None
        try:
            reader, found = Reader(message, 16, order), {}
            while reader.at < 16 + fields:
                reader.at += -reader.at % 8
                code = reader.number('y')
                found[code] = reader.value('v')
            call = self.calls.get(found.get(5)) if message[1] in (2, 3) else None
            # Others may send messages, too.
            if call is None or call[0].startswith(':') and found.get(7) not in (call[0], 'org.freedesktop.DBus'):
                return
            del self.calls[found[5]]
            then = call[2]
            if not is_failure and message[1] == 2 and found.get(8, '') == call[1]:
                value = Reader(message[start:], 0, order).value(call[1])
        except (ValueError, KeyError, TypeError, struct.error, RecursionError):
            value = None
        if then:
            then(value)

def connect(address):
    """Connects to the first socket of an address: unix:path=/run/user/1000/bus,guid=..."""
    for each in (address or '').split(';'):
        kind, _, rest = each.partition(':')
        keys = dict(pair.partition('=')[::2] for pair in rest.split(','))
        name = keys.get('path') or ('\0' + keys['abstract'] if 'abstract' in keys else None)
        if kind == 'unix' and name:
            connected = socket.socket(socket.AF_UNIX)
            connected.settimeout(5)
            connected.connect(name)
            return connected
    raise OSError('no address')
`;
