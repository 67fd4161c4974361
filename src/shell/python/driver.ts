/** Length of the marker before a report, in ASCII characters. */
export const MARKER_LENGTH = 32;

/**
 * Python program that runs the code following it on standard input as `__main__`.
 *
 * The rest of the input is a marker, then the code. The driver reads all of it, so that `input()`
 * and child processes find nothing. It reports an exception on standard error as: the marker, the
 * number of bytes that follow as eight hexadecimal digits, the class's name, a newline, and the
 * traceback that Python prints, without the driver's own frames.
 */
export const PYTHON_DRIVER = `
def __vc_main__():
    import os, sys
    data = sys.stdin.buffer.read()
    marker, code = data[:${MARKER_LENGTH}], data[${MARKER_LENGTH}:].decode()
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
        if error.code is not None and error.code != 0:
            flush()
            report(error)
        sys.exit(1 if isinstance(error.code, str) else error.code)
    except BaseException as error:
        flush()
        report(error)
        error = None
        sys.exit(1)

__vc_main__()
`;
