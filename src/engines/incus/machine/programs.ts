import { addAbortSignal, type Duplex } from 'node:stream';
import { ApiError } from '../../../contract/errors.js';

/** Runs a command of the image as the computer's user, without root's rights. */
export function asUser(allowSudo: boolean, ...command: readonly string[]): string[] {
  return ['setpriv', ...USER, ...(allowSudo ? [] : UNPRIVILEGED), ...command];
}

const USER = ['--reuid=1000', '--regid=1000', '--init-groups'];
const UNPRIVILEGED = ['--inh-caps=-all', '--bounding-set=-all', '--no-new-privs'];

/** Seconds to wait for a screen that does not listen yet. */
const LISTENING_SECONDS = 10;

/** Connects standard input and output to the screen's socket, with Python's standard library. */
export const SCREEN_RELAY = [
  'python3',
  '-I',
  '-S',
  '-c',
  `
import os, socket, sys, threading, time
end = time.monotonic() + ${LISTENING_SECONDS}
while True:
    s = socket.socket(socket.AF_UNIX)
    try:
        s.connect('/run/vc/rfb.sock')
        break
    except OSError:
        if time.monotonic() > end: sys.exit(1)
    s.close()
    time.sleep(0.015)
def up():
    while data := os.read(0, 65536):
        s.sendall(data)
    os._exit(0)
threading.Thread(target=up, daemon=True).start()
while data := s.recv(65536):
    while data:
        data = data[os.write(1, data):]
os._exit(0)
`,
] as const;

export const SSHD = ['/usr/lib/vc/sshd'] as const;

const DONE = 'done';
const WITHIN_MS = 20_000;
/** The guest may answer more, of which nothing is read. */
const MOST_CHARACTERS = 64;

/** Replaces the file that the image's SSH server reads; the key is the script's first argument. */
const SCRIPT = `
umask 022
file=/var/lib/vc/authorized_keys
printf '%s\\n' "$1" >"$file.new" && mv -f "$file.new" "$file" && echo ${DONE}
`;

/**
 * Has a running machine accept the public key in place of all others. `exec` runs a command as the
 * machine's user, never as root: that user could have put a link in place of the file.
 */
export async function authorizeKey(
  key: string,
  exec: (command: readonly string[]) => Promise<Duplex>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const limit = AbortSignal.timeout(WITHIN_MS);
  const either = signal ? AbortSignal.any([signal, limit]) : limit;
  const stream = addAbortSignal(either, await exec(['sh', '-c', SCRIPT, 'sh', key]));
  stream.end();
  let answer = '';
  try {
    for await (const bytes of stream) {
      answer += bytes;
      if (answer.length > MOST_CHARACTERS) break;
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (!limit.aborted) throw error;
  }
  if (answer.trim() === DONE) return;
  throw new ApiError('guest_failed', 'The computer does not accept a new key.');
}
