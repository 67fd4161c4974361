/**
 * Python: looks at the conditions that `conditions` lists (assigned before this text) until `end`, a
 * time of the monotonic clock, and prints a line of JSON when what it sees changes: for each condition
 * `[holds, seen]`. Between two looks it rests four times as long as a look took, at least 0.2 s.
 */
export const PROGRAM = `
import http.client, json, os, subprocess, time

HOME = os.path.expanduser('~')

def output_of(*argv):
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=5)
    return done.stdout.decode('utf-8', 'replace')

def windows():
    lines = [line.split(None, 3) for line in output_of('wmctrl', '-l').splitlines()]
    return [words[3] for words in lines if len(words) == 4]

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
        targets = json.loads(connection.getresponse().read())
        return [each['url'] for each in targets if each['type'] == 'page']
    except (OSError, ValueError, http.client.HTTPException):
        return []

def listed(names, empty):
    return ', '.join(str(name) for name in names[:20]) or empty

def file(path, above):
    try:
        size = os.stat(os.path.join(HOME, os.path.expanduser(path))).st_size
    except OSError as error:
        return [False, error.strerror]
    return [above is None or size > above, '%d bytes' % size]

commands = {}

def command(text):
    """At most once a second."""
    at, answer = commands.get(text, (0, None))
    if answer is None or time.monotonic() - at >= 1:
        try:
            done = subprocess.run(
                ['bash', '-c', text], cwd=HOME, timeout=10,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            answer = [done.returncode == 0, 'exit code %d' % done.returncode]
        except subprocess.TimeoutExpired:
            answer = [False, 'it ran for 10 s']
        commands[text] = (time.monotonic(), answer)
    return answer

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
    return command(condition['command'])

def attempt(condition, seen):
    try:
        holds, text = look(condition, seen)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        holds, text = False, str(error)
    return [holds, text[:300]]

last = None
while time.monotonic() < end:
    began = time.monotonic()
    seen = {}
    states = [attempt(each, seen) for each in conditions]
    if states != last:
        print(json.dumps(states), flush=True)
        last = states
    time.sleep(max(0.2, 4 * (time.monotonic() - began)))
`;
