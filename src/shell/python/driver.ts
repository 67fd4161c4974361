import { randomBytes } from 'node:crypto';

/** Length of the marker before a report, in ASCII characters. */
const MARKER_LENGTH = 32;

/**
 * Python program that runs the code following it on standard input as `__main__`.
 *
 * After it come a marker, the length of the code as eight hexadecimal digits, and the code. Not a
 * byte more is read: the rest of the input is the code's own. An exception is reported on standard
 * error as: the marker, the number of bytes that follow as eight hexadecimal digits, the class's
 * name, a newline, and the traceback that Python prints, without the driver's own frames. The exit
 * status is that of Python.
 */
const PYTHON_DRIVER = `
def __vc_main__():
    import os, sys

    def take(count):
        parts = []
        while count:
            part = os.read(0, min(count, 65536))
            if not part:
                os._exit(1)
            parts.append(part)
            count -= len(part)
        return b''.join(parts)

    marker = take(${MARKER_LENGTH})
    code = take(int(take(8), 16)).decode()
    report_to = os.dup(2)
    name = '<exec>'

    def remember(linecache):
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)

    class Remember:
        """Gives linecache our source once it is loaded, which takes longer than a small program."""
        def find_spec(self, module, path=None, target=None):
            if module != 'linecache':
                return None
            sys.meta_path.remove(self)
            for finder in sys.meta_path:
                spec = finder.find_spec(module, path, target)
                if spec:
                    break
            load = spec.loader.exec_module
            def exec_module(loaded):
                load(loaded)
                remember(loaded)
            spec.loader.exec_module = exec_module
            return spec

    def report(error):
        kind = type(error)
        try:
            import traceback
            frames = error.__traceback__.tb_next if error.__traceback__ else None
            text = ''.join(traceback.format_exception(kind, error, frames))
        except BaseException:
            text = kind.__name__ + '\\n'
        if len(text) > 32768:
            text = text[:16384] + '\\n  ...\\n' + text[-16384:]
        body = (kind.__name__ + '\\n' + text).encode('utf-8', 'backslashreplace')
        body = marker + b'%08x' % len(body) + body
        while body:
            body = body[os.write(report_to, body):]

    def flush():
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except BaseException:
                pass

    if 'linecache' in sys.modules:
        remember(sys.modules['linecache'])
    else:
        sys.meta_path.insert(0, Remember())
    # Whole lines come out at once: what was printed before a time-out is not lost.
    sys.stdout.reconfigure(line_buffering=True, errors='backslashreplace')
    sys.argv = [name]
    module = type(sys)('__main__')
    module.__builtins__ = __builtins__
    sys.modules['__main__'] = module
    try:
        exec(compile(code, name, 'exec', dont_inherit=True), module.__dict__)
    except SystemExit as error:
        status = error.code
        if status is not None and not isinstance(status, int):
            flush()
            print(status, file=sys.stderr)
            status = 1
        if status:
            flush()
            report(error)
        sys.exit(status)
    except KeyboardInterrupt as error:
        import signal
        flush()
        report(error)
        # Python ends itself in this way, so that its parent sees the interrupt.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except BaseException as error:
        flush()
        report(error)
        error = None
        sys.exit(1)

__vc_main__()
`;

const driver = Buffer.from(PYTHON_DRIVER);

/**
 * Starts Python with the driver, which comes first on standard input so that no process list shows
 * any code.
 */
export const START_PYTHON = `exec python3 -c '# vc: Python code\nimport os; d = b""; exec("while len(d) < ${driver.length}: d += os.read(0, ${driver.length} - len(d)) or os._exit(1)"); exec(d)'`;

/** No output contains it by chance, and little output ends in its first character. */
export function newMarker(): string {
  return `\0${randomBytes(MARKER_LENGTH).toString('hex').slice(1, MARKER_LENGTH)}`;
}

/** What {@link START_PYTHON} reads from its standard input to run `code`. */
export function pythonInput(code: string, marker: string): Buffer {
  const bytes = Buffer.from(code);
  const length = bytes.length.toString(16).padStart(8, '0');
  return Buffer.concat([driver, Buffer.from(marker + length, 'latin1'), bytes]);
}
