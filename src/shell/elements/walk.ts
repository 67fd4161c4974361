/**
 * Python: walks the accessibility tree (AT-SPI) of the programs on the session bus, with a few nodes of
 * each program at once. The number of nodes, their depth and texts, and the time are limited; so is
 * the time without an answer of one program, so that a frozen one does not take that of others.
 */
export const WALK = String.raw`import json, re, sys

LIMIT, WIDTH, HEIGHT, MS = [int(word) for word in sys.argv[1:5]]
WINDOW_LIST, TARGET = (sys.argv[5:] + ['', ''])[:2]
if TARGET:
    LIMIT = 1000000
SILENCE = MS / 2000
MOST_NODES, MOST_DEPTH, MOST_CHILDREN, IN_FLIGHT = 4000, 100, 1000, 16
MOST_NAME, MOST_VALUE, MOST_ACTION, MOST_OUTPUT = 200, 1000, 40, 512 * 1024
PROPERTIES = 'org.freedesktop.DBus.Properties'
A11Y, ROOT = 'org.a11y.atspi.', '/org/a11y/atspi/accessible/'
EDITABLE, FOCUSABLE, ICONIFIED, SHOWING, MANY = 7, 11, 15, 25, 31
LINE = re.compile(r'^(0x[0-9a-f]+) +\S+ +(\d+) +(-?\d+) +(-?\d+) +(\d+) +(\d+) ', re.M)
BUS, PATH = re.compile(r':\d{1,9}\.\d{1,9}'), re.compile(r'(/[A-Za-z0-9_]{1,100}){1,10}')
PASSWORD, TERMINAL, APPLICATION, WINDOWS = 40, 60, 75, (14, 23)

def pair(first, second):
    data = text_of(first)
    return data + bytes(-len(data) % 4) + text_of(second)

class Node:
    def __init__(self, bus, path, depth, parent=None):
        self.bus, self.path, self.depth, self.parent = bus, path, depth, parent
        self.top = parent.top if parent and depth > 2 else self if depth == 2 else None
        self.children, self.waits, self.is_done = [], 0, False
        self.above = self.next = self.level = None
        self.is_active = False
        self.states, self.role, self.box, self.name, self.value, self.actions = 0, 0, None, '', None, []
        self.kinds = ()

    def has(self, state):
        return self.states >> state & 1 == 1

    @property
    def visible(self):
        """The part of the box that is on the screen, or None."""
        if not self.box:
            return None
        x, y, w, h = self.box
        left, top, right, bottom = max(x, 0), max(y, 0), min(x + w, WIDTH), min(y + h, HEIGHT)
        return (left, top, right - left, bottom - top) if w > 0 and h > 0 and left < right and top < bottom else None

class Program:
    """A program with its nodes that wait, last in first out, and those that are asked for."""
    def __init__(self):
        self.waiting, self.asked, self.kept, self.seen, self.heard = [], 0, 0, 0, time.monotonic()

class Walk:
    def __init__(self, bus):
        self.bus, self.programs, self.seen, self.tops, self.is_cut = bus, {}, set(), [], False
        self.roots, self.target = [], None

    def run(self):
        programs = self.bus.ask(A11Y + 'Registry', ROOT + 'root', A11Y + 'Accessible', 'GetChildren', 'a(so)') or []
        self.roots = [self.add(*each, 1) for each in programs[:200]]
        if TARGET:
            self.target = self.add(*parse(TARGET), 1000)
        end = time.monotonic() + MS / 1000
        while True:
            now = time.monotonic()
            left = [each for each in self.programs.values() if each.asked or each.waiting]
            alive = [each for each in left if now - each.heard < SILENCE or not each.asked]
            if not left:
                return
            if not alive or now > end:
                self.is_cut = True
                return
            for program in alive:
                if program.kept >= LIMIT and program.waiting:
                    program.waiting.clear()
                    self.is_cut = True
                if not program.asked:
                    program.heard = now
                while program.waiting and program.asked < IN_FLIGHT:
                    self.visit(program, program.waiting.pop())
            self.bus.turn(0.05)

    def add(self, bus, path, depth, parent=None):
        """Adds a node unless it was there before; a tree may have cycles."""
        if (bus, path) in self.seen or depth == MOST_DEPTH or not BUS.fullmatch(bus) or not PATH.fullmatch(path):
            return None
        program = self.programs.setdefault(bus, Program())
        if program.seen >= MOST_NODES or program.kept >= LIMIT:
            self.is_cut = True
            return None
        self.seen.add((bus, path))
        node = Node(bus, path, depth, parent)
        program.seen += 1
        program.waiting.append(node)
        return node

    def ask(self, node, interface, member, answer, then, *sends):
        program = self.programs[node.bus]
        def heard(value):
            program.heard = time.monotonic()
            node.waits -= 1
            if value is not None:
                then(value)
            if node.waits == 0:
                node.stage(node)
        node.waits += 1
        self.bus.call(node.bus, node.path, interface, member, answer, heard, *sends)

    def get(self, node, interface, name, then):
        self.ask(node, PROPERTIES, 'Get', 'v', then, 'ss', pair(A11Y + interface, name))

    def visit(self, program, node):
        program.asked += 1
        def states(value):
            node.states = sum(word << 32 * at for at, word in enumerate(value[:2]))
        def role(value):
            node.role = value
        node.stage = self.look
        self.ask(node, A11Y + 'Accessible', 'GetState', 'au', states)
        self.ask(node, A11Y + 'Accessible', 'GetRole', 'u', role)

    def look(self, node):
        """Asks for the rest of a node that is shown."""
        if node.depth > 1 and node.role != APPLICATION and (not node.has(SHOWING) or node.has(ICONIFIED)):
            return self.done(node)
        node.stage = self.expand
        def box(value):
            node.box = value
        def name(value):
            node.name = str(value)
        def kinds(value):
            node.kinds = [each.rpartition('.')[2] for each in value]
        def children(value):
            node.children = value[:MOST_CHILDREN]
            self.is_cut = self.is_cut or len(value) > MOST_CHILDREN
        def count(value):
            self.is_cut = self.is_cut or value > MOST_CHILDREN
            for at in range(min(value, MOST_CHILDREN) if isinstance(value, int) else 0):
                self.ask(node, A11Y + 'Accessible', 'GetChildAtIndex', '(so)', node.children.append, 'i', struct.pack('<i', at))
        def parent(value):
            node.above = value if isinstance(value, list) else None
        if node.depth > 1:
            self.ask(node, A11Y + 'Component', 'GetExtents', '(iiii)', box, 'u', struct.pack('<I', 0))
            self.get(node, 'Accessible', 'Name', name)
            self.ask(node, A11Y + 'Accessible', 'GetInterfaces', 'as', kinds)
        if node.depth >= 1000:
            self.get(node, 'Accessible', 'Parent', parent)
        elif TARGET and node.depth == 2:
            pass
        elif node.has(MANY):
            # A list may make an object for each row that is asked for.
            self.get(node, 'Accessible', 'ChildCount', count)
        else:
            self.ask(node, A11Y + 'Accessible', 'GetChildren', 'a(so)', children)
    def expand(self, node):
        node.stage = self.done
        if node.depth == 2:
            self.tops.append(node)
        if node.depth >= 1000:
            if node.above and node.depth < 1000 + MOST_DEPTH:
                node.next = self.add(*node.above, node.depth + 1)
            return self.done(node)
        found = [self.add(*each, node.depth + 1, node) for each in reversed(node.children)]
        node.children = [each for each in reversed(found) if each]
        if not node.visible:
            return self.done(node)
        def value(value):
            node.value = f'{value:.10g}' if isinstance(value, float) else str(value)
        def actions(value):
            node.actions = [clean(each[0], MOST_ACTION) for each in value[:8] if each[0]]
        if 'Action' in node.kinds:
            self.ask(node, A11Y + 'Action', 'GetActions', 'a(sss)', actions)
        if 'Text' in node.kinds and node.role != PASSWORD and (node.has(EDITABLE) or node.role == TERMINAL):
            self.ask(node, A11Y + 'Text', 'GetText', 's', value, 'ii', struct.pack('<ii', 0, MOST_VALUE))
        elif 'Value' in node.kinds:
            self.get(node, 'Value', 'CurrentValue', value)
        if not node.waits:
            self.done(node)

    def done(self, node):
        node.is_done = True
        program = self.programs[node.bus]
        program.asked -= 1
        program.kept += is_told(node)

`;
