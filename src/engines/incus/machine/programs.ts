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
  ...['python3', '-I', '-S', '-c'],
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
