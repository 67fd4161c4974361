# A program with a hostile accessibility tree: goes on after bus.ts and walk.ts. Its last argument is the
# kind of tree: `wide`, `cycle` or `silent`.

KIND = sys.argv[-1]
FRAME, WIDE, LONG = ROOT + 'f', 10000, 'A' * 1000000

def uint(number):
    return struct.pack('<I', number)

def array(items):
    """An array of pairs, which are structures and begin at a multiple of 8."""
    body = b''
    for first, second in items:
        body += bytes(-len(body) % 8) + pair(first, second)
    return uint(len(body)) + bytes(4) + body

def name_of(path):
    number = path[len(ROOT) + 1:]
    if path == FRAME:
        return 'hostile \x1b[31m\u202e frame\r\nsecond line'
    return LONG if number.endswith('00') else 'element ' + number + '\x07\u2066'

def children(path):
    if path == ROOT + 'root':
        return [FRAME]
    if KIND == 'cycle':
        return [ROOT + 'root', FRAME, ROOT + 'c1', path]
    return [ROOT + 'c' + str(each) for each in range(WIDE)] if path == FRAME else []

class Server(Bus):
    def answer(self, message, start, fields, order, is_failure):
        if message[1] != 1:
            return super().answer(message, start, fields, order, is_failure)
        reader, found = Reader(message, 16, order), {}
        while reader.at < 16 + fields:
            reader.at += -reader.at % 8
            code = reader.number('y')
            found[code] = reader.value('v')
        kind, body = self.value(found[1], found[3], Reader(message[start:], 0, order))
        self.reply(struct.unpack('<I', message[8:12])[0], found[7], kind, body)

    def value(self, path, member, sent):
        is_root = path == ROOT + 'root'
        if member == 'GetState':
            return 'au', uint(8) + uint(1 << 24 | 1 << 25 | 1 << 30) + uint(0)
        if member == 'GetRole':
            return 'u', uint(75 if is_root else 23 if path == FRAME else 43)
        if member == 'GetExtents':
            return '(iiii)', struct.pack('<iiii', 2, 2, 30, 20)
        if member == 'GetInterfaces':
            return 'as', uint(0)
        if member == 'GetChildren':
            return 'a(so)', array((self.own, each) for each in children(path))
        if member == 'Get' and sent.text() and sent.text():
            return 'v', b'\x01s\0\0' + text_of(name_of(path))
        return '', b''

    def reply(self, serial, to, kind, body):
        self.serial += 1
        fields = b'\x05\x01u\0' + uint(serial)
        for code, signature, value in ((6, 's', to), (8, 'g', kind)):
            if value:
                fields += bytes(-len(fields) % 8) + bytes((code, 1)) + signature.encode() + b'\0'
                fields += bytes((len(value),)) + value.encode() + b'\0' if signature == 'g' else text_of(value)
        head = struct.pack('<cBBBIII', b'l', 2, 1, 1, len(body), self.serial, len(fields)) + fields
        self.out += head + bytes(-len(head) % 8) + body

session = Bus(os.environ['DBUS_SESSION_BUS_ADDRESS'])
server = Server(session.ask('org.a11y.Bus', '/org/a11y/bus', 'org.a11y.Bus', 'GetAddress', 's'))
names = []
server.calls[1] = ('org.freedesktop.DBus', 's', names.append)
while not names:
    server.turn(1)
server.own = names[0]
embedded = []
server.call(A11Y + 'Registry', ROOT + 'root', A11Y + 'Socket', 'Embed', '(so)', embedded.append, '(so)', pair(server.own, ROOT + 'root'))
while not embedded:
    server.turn(1)
print('ready', flush=True)
while True:
    if KIND == 'silent':
        time.sleep(60)
    server.turn(1)
