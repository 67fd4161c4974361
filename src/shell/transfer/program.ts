import { quote } from '../process/quote.js';

/** What the program does with a file that it opens. */
export interface DirectRequest {
  readonly path: string;
  readonly way: 'read' | 'write';
  /** The first byte. */
  readonly start: number;
  /** The byte after the last one; for reading. */
  readonly end?: number;
  /** Path of the socket to listen on. */
  readonly socket: string;
}

/**
 * Reads a request as JSON, opens the file, listens on the socket, prints the file's size and time,
 * takes one connection, and prints `done` after the last byte. It runs as the computer's user, so
 * that the guest's own permissions, quotas and limits hold.
 */
const PROGRAM = `# vc: file transfer
import json, os, socket, sys
q = json.loads(sys.stdin.buffer.readline())
reading = q["way"] == "read"
f = os.open(q["path"].encode(), os.O_RDONLY | os.O_NONBLOCK if reading else os.O_WRONLY)
name = q["socket"].encode()
s = socket.socket(socket.AF_UNIX)
# The directory is the computer user's own; the service may be another user of the host.
os.umask(0)
s.bind(name)
try:
    s.listen(1)
    s.settimeout(10)
    t = os.fstat(f)
    print(t.st_size, int(t.st_mtime), flush=True)
    c = s.accept()[0]
finally:
    os.unlink(name)
c.settimeout(None)
at = q["start"]
if reading:
    while at < q["end"]:
        n = os.sendfile(c.fileno(), f, at, min(q["end"] - at, 1 << 20))
        if n == 0:
            break
        at += n
else:
    os.lseek(f, at, os.SEEK_SET)
    m = memoryview(bytearray(1 << 20))
    while n := c.recv_into(m):
        d = m[:n]
        while d:
            d = d[os.write(f, d):]
os.close(f)
print("done", flush=True)
c.close()
`;

/** The command that starts the program: isolated from the user's modules, which could be slow. */
export const START = `exec python3 -IS -c ${quote(PROGRAM)}`;
