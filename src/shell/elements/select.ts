/**
 * Python: selects the nodes that a person sees, in the order of reading, and prints them as JSON. Goes
 * on in the class Walk of walk.ts.
 */
export const SELECT = String.raw`    def list(self):
        """The nodes in the order of reading, those of the active window first."""
        if TARGET:
            return self.found()
        self.stack(self.tops)
        nodes = sorted(self.tops, key=lambda each: (each.is_active, each.level is None, each.level or 0))
        listed = []
        while nodes:
            node = nodes.pop()
            if is_told(node) and not self.is_covered(node, node.top):
                listed.append(node)
            nodes += [each for each in reversed(node.children) if isinstance(each, Node) and each.is_done]
        return listed

    def stack(self, tops):
        """Finds the windows of the X server that the top nodes are: by process and place."""
        windows = {int(line[1], 16): [int(each) for each in line.groups()[1:]] for line in LINE.finditer(WINDOW_LIST)}
        lists = [[int(each, 16) for each in re.findall('0x[0-9a-f]+', line)] for line in WINDOW_LIST.split('\n') if '#' in line]
        order, active = lists if len(lists) == 2 else ([], [])
        self.levels = tops = [each for each in tops if each.role in WINDOWS and each.visible]
        pids = {}
        for bus in {each.bus for each in tops[:50]} if order else ():
            body = text_of(bus)
            pids[bus] = self.bus.ask('org.freedesktop.DBus', '/', 'org.freedesktop.DBus', 'GetConnectionUnixProcessID', 'u', 's', body)
        pairs = []
        for level, window in enumerate(order):
            pid, *box = windows.get(window, (0, 0, 0, 0, 0))
            for each in tops:
                if pids.get(each.bus) == pid:
                    pairs.append((sum(abs(a - b) for a, b in zip(box, each.box)), -level, window, each))
        taken = set()
        for _, level, window, top in sorted(pairs, key=lambda pair: pair[:2]):
            if top.level is None and window not in taken:
                taken.add(window)
                top.level, top.is_active = -level, window in active

    def is_covered(self, node, top):
        """Whether its middle is behind another window."""
        if not top or top.level is None:
            return False
        x, y, w, h = node.visible
        return any(each.level is not None and each.level > top.level and contains(each.visible, x + w / 2, y + h / 2) for each in self.levels)

    def found(self):
        """The target, unless it or what it is in is hidden."""
        node = self.target
        if not node:
            return []
        while node:
            if not node.has(SHOWING) or not node.is_done:
                return []
            last, node = node, node.next
        keys = {(each.bus, each.path): each for each in self.tops}
        above = tuple(last.above or ())
        if above in {(each.bus, each.path) for each in self.roots if each}:
            keys[above] = last
        top = keys.get(above)
        self.stack(list(keys.values()))
        hidden = not self.target.visible or self.is_covered(self.target, top)
        return [] if hidden else [self.target]

def is_told(node):
    """Whether a node is worth a line: containers without a name are not."""
    content = node.name or node.value or node.actions or node.has(FOCUSABLE)
    return bool(content) and node.depth > 1 and node.visible is not None

def contains(box, x, y):
    return box[0] <= x < box[0] + box[2] and box[1] <= y < box[1] + box[3]

def clean(text, most, keeps=''):
    text = ''.join(' ' if each.isspace() and each not in keeps else each for each in text[:4 * most])
    text = ''.join(each for each in text if each != '\ufffc' and (each in keeps or each.isprintable()))
    return (text if keeps else ' '.join(text.split()))[:most]

def parse(text):
    guid, bus, path = text.split('-')
    return ':' + bus, path if path.startswith('/') else ROOT + path

def row(node, guid):
    path = node.path[len(ROOT):] if node.path.startswith(ROOT) else node.path
    value = None if node.value is None else clean(node.value, MOST_VALUE, '\n')
    return [guid[:8] + '-' + node.bus[1:] + '-' + path, node.role, node.states & (1 << 45) - 1,
            clean(node.name, MOST_NAME), value, [int(each) for each in node.visible], node.actions]

def main():
    try:
        session = Bus(os.environ.get('DBUS_SESSION_BUS_ADDRESS'))
        bus = Bus(session.ask('org.a11y.Bus', '/org/a11y/bus', 'org.a11y.Bus', 'GetAddress', 's'))
    except OSError:
        return {'error': 'none'}
    walk = Walk(bus)
    try:
        if not TARGET or TARGET.startswith(bus.guid[:8] + '-'):
            walk.run()
        nodes = walk.list() if walk.roots else []
    except OSError:
        nodes, walk.is_cut = [], True
    rows, length = [], 0
    for node in nodes:
        line = row(node, bus.guid)
        length += len(json.dumps(line))
        if len(rows) == LIMIT or length > MOST_OUTPUT:
            walk.is_cut = True
            break
        rows.append(line)
    return {'elements': rows, 'truncated': walk.is_cut}

print(json.dumps(main()))
`;
