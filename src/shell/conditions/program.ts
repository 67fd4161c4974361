/**
 * Python: looks at the conditions that `conditions` lists (assigned before this text) until `end`, a
 * time of the monotonic clock, and prints a line of JSON when what it sees changes: for each condition
 * `[holds, seen]`, where `holds` is null if that is not known. Between two looks it rests four times
 * as long as a look took, 0.2 to 1 s. Commands run beside the looks, each in a session of its own, so
 * that nothing is left of one that is ended.
 */
export const PROGRAM = `
import http.client, json, os, signal, subprocess, sys, time

HOME = os.path.expanduser('~')

def windows():
    done = subprocess.run(
        ['wmctrl', '-l'], stdin=subprocess.DEVNULL, capture_output=True, timeout=5, check=True)
    lines = done.stdout.decode('utf-8', 'replace').splitlines()
    return [words[3] for words in (line.split(None, 3) for line in lines) if len(words) == 4]

def ports():
    found = set()
    for name in 'tcp', 'tcp6':
        try:
            with open('/proc/net/' + name) as table:
                rows = [line.split() for line in table][1:]
        except OSError:
            continue
        found.update(int(row[1].rpartition(':')[2], 16) for row in rows if row[3] == '0A')
    return sorted(found)

def pages():
    try:
        with open(HOME + '/.config/vc-browser/DevToolsActivePort') as file:
            port = int(file.readline())
        connection = http.client.HTTPConnection('127.0.0.1', port, timeout=5)
        connection.request('GET', '/json/list')
    except (FileNotFoundError, ConnectionRefusedError):
        return []
    targets = json.loads(connection.getresponse().read())
    return [each['url'] for each in targets if each['type'] == 'page']

def listed(names, empty):
    return ', '.join(str(name) for name in names[:20]) or empty

def file(path, above):
    try:
        size = os.stat(os.path.join(HOME, os.path.expanduser(path))).st_size
    except (FileNotFoundError, NotADirectoryError) as error:
        return [False, error.strerror]
    return [above is None or size > above, '%d bytes' % size]

class Command:
    """A command that runs at most once a second, for at most 10 s."""
    def __init__(self, text):
        self.text, self.process, self.at, self.state = text, None, 0, [None, 'it runs']

    def look(self):
        now = time.monotonic()
        if self.process is None:
            if now - self.at < 1:
                return self.state
            self.at = now
            self.process = subprocess.Popen(
                ['bash', '-c', self.text], cwd=HOME, start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        code = self.process.poll()
        if code is not None:
            self.process, self.state = None, [code == 0, 'exit code %d' % code]
        elif now - self.at >= 10:
            self.end()
            self.state = [None, 'it ran for 10 s']
        return self.state

    def end(self):
        if self.process is not None:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.process.wait()
            self.process = None

commands = {each['command']: Command(each['command']) for each in conditions if 'command' in each}

def containing(part, names, empty):
    part = part.casefold()
    found = [name for name in names if part in name.casefold()]
    return [bool(found), found[0] if found else listed(names, empty)]

def look(condition, seen):
    def of(kind):
        if kind not in seen:
            seen[kind] = kind()
        return seen[kind]
    if 'window' in condition:
        return containing(condition['window'], of(windows), 'no window')
    if 'url' in condition:
        return containing(condition['url'], of(pages), 'no page')
    if 'file' in condition:
        return file(condition['file'], condition.get('size_above'))
    if 'port' in condition:
        return [condition['port'] in of(ports), 'listening: ' + listed(of(ports), 'no port')]
    return commands[condition['command']].look()

def attempt(condition, seen):
    try:
        holds, text = look(condition, seen)
    except (OSError, ValueError, http.client.HTTPException, subprocess.SubprocessError) as error:
        holds, text = None, 'not known: %s' % error
    return [holds, text[:300]]

def watch():
    last = None
    while time.monotonic() < end:
        began = time.monotonic()
        seen = {}
        states = [attempt(each, seen) for each in conditions]
        if states != last:
            print(json.dumps(states), flush=True)
            last = states
        time.sleep(min(1, max(0.2, 4 * (time.monotonic() - began))))

for name in signal.SIGTERM, signal.SIGHUP:
    signal.signal(name, lambda *_: sys.exit(1))
try:
    watch()
finally:
    for each in commands.values():
        each.end()
`;
