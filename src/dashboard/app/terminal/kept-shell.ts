/** Seconds after which a shell ends that no page is connected with. */
const KEPT_SECONDS = 300;
/** Bytes of the newest output that a page gets when it connects again. */
const KEPT_OUTPUT = 256 * 1024;

/**
 * Python program that connects its terminal with the shell `NAME`, its argument. The shell runs in
 * the terminal of a second process, the keeper, which it starts if there is none. The keeper
 * outlives the connection, so a page that is loaded again finds its shell and the newest output.
 *
 * They exchange packets over a unix socket, of which the first byte is the kind: `i` input, `s` size
 * (struct winsize), `e` the end of the shell, which the program sends when it reads its own `NAME`; `o`
 * output, `x` exit code. The newest connection replaces the one before.
 */
const PROGRAM = `
import fcntl, os, pty, re, select, signal, socket, sys, termios, time, tty

def unix():
    return socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)

def keep(listener, shell):
    child, terminal = pty.fork()
    if child == 0:
        os.execlp(shell, shell, '-l')
    os.set_blocking(terminal, False)
    exited = os.pidfd_open(child)
    page, out, typed, kept, left = None, b'', b'', bytearray(), time.monotonic()
    while page or time.monotonic() < left + ${KEPT_SECONDS}:
        wanted = [listener, exited] + [terminal] * (not out) + [page] * bool(page and not typed)
        ready, writable, _ = select.select(wanted, [page] * bool(out) + [terminal] * bool(typed), [], 10)
        try:
            if page in writable:
                page.send(b'o' + out[:32768])
                out = out[32768:]
            if page in ready:
                packet = page.recv(65536)
                if packet[:1] == b'i':
                    typed = packet[1:]
                elif packet[:1] == b's':
                    fcntl.ioctl(terminal, termios.TIOCSWINSZ, packet[1:])
                    # Programs in the whole terminal draw again.
                    os.killpg(os.tcgetpgrp(terminal), signal.SIGWINCH)
                elif packet[:1] == b'e':
                    return
                else:
                    raise ConnectionError
        except (BlockingIOError, ProcessLookupError):
            pass
        except ConnectionError:
            page, out, left = None, b'', time.monotonic()
        if terminal in writable:
            typed = typed[os.write(terminal, typed):]
        data = None
        if terminal in ready:
            try:
                data = os.read(terminal, 65536)
            except OSError:
                # No program has it open.
                data = b''
        if data:
            kept += data
            if len(kept) > 2 * ${KEPT_OUTPUT}:
                # From the beginning of a line.
                kept = kept[kept.find(b'\\n', ${KEPT_OUTPUT}) + 1:]
            if page:
                out = data
        elif exited in ready and not out:
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            if page:
                page.send(b'x' + bytes([code % 256]))
            return
        elif data == b'':
            time.sleep(0.1)
        if listener in ready:
            if page:
                page.close()
            page, _ = listener.accept()
            page.setblocking(False)
            # Without questions to the terminal, whose answers would be input.
            out = re.sub(rb'\\x1b(\\[[?>=]?[\\d;]*(\\$p|[cnq])|\\][\\d;]+;\\?(\\a|\\x1b\\\\)|P[^\\x1b]*\\x1b\\\\)', b'', kept)

def start(path, shell):
    listener = unix()
    listener.bind(path)
    listener.listen()
    if os.fork() == 0:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nothing, stream)
        try:
            keep(listener, shell)
        finally:
            os.unlink(path)
            os._exit(0)

def main(name, shell):
    folder = os.path.expanduser('~/.cache/vc/terminals')
    os.makedirs(folder, 0o700, exist_ok=True)
    path = folder + '/' + name
    tty.setraw(0, termios.TCSANOW)
    keeper = unix()
    try:
        keeper.connect(path)
    except OSError:
        if os.path.exists(path):
            os.unlink(path)
        # Not in the keeper too, which would not notice its end.
        keeper.close()
        start(path, shell)
        keeper = unix()
        keeper.connect(path)
    def resize(*_):
        keeper.send(b's' + fcntl.ioctl(0, termios.TIOCGWINSZ, bytes(8)))
    signal.signal(signal.SIGWINCH, resize)
    resize()
    typed = b''
    while True:
        ready, writable, _ = select.select([keeper] + [0] * (not typed), [keeper] * bool(typed), [])
        if writable:
            keeper.send(typed)
            typed = b''
        if 0 in ready:
            data = os.read(0, 4096)
            if not data:
                return 0
            typed = b'e' if data.endswith(name.encode()) else b'i' + data
        if keeper in ready:
            packet = keeper.recv(65536)
            if packet[:1] != b'o':
                return packet[1] if packet else 129
            rest = packet[1:]
            while rest:
                rest = rest[os.write(1, rest):]

sys.exit(main(sys.argv[1], sys.argv[2]))
`;

/** The variable that has the program, which is in no list of processes and no entry of the audit log. */
const VARIABLE = 'VC_KEPT_SHELL';

/** The exit code of a connection that another page, or the end of the keeper, has ended. */
export const REPLACED = 129;

/** What to run for the login shell `name` of the user, in a terminal that the guest knows. */
export function keptShell(name: string) {
  const script = [
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: expanded by the guest's shell
    'infocmp >/dev/null 2>&1 || export TERM=xterm; shell=${SHELL:-/bin/sh}',
    `program='import os; exec(os.environ.pop("${VARIABLE}"))'`,
    'command -v python3 >/dev/null && exec python3 -c "$program" "$0" "$shell"',
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: expanded by the guest's shell
    'exec "$shell" -l',
  ].join('\n');
  return {
    argv: ['/bin/sh', '-c', script, name],
    env: { TERM: 'xterm-256color', [VARIABLE]: PROGRAM },
  };
}
