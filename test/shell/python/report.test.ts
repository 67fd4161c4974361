import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PYTHON_DRIVER } from '../../../src/shell/python/driver.js';
import { PythonReport } from '../../../src/shell/python/report.js';

const MARKER = '0123456789abcdef0123456789abcdef';

function read(chunks: readonly Buffer[]) {
  let output = '';
  const report = new PythonReport(MARKER, (chunk) => {
    output += chunk.toString('latin1');
  });
  for (const chunk of chunks) report.write(chunk);
  report.end();
  return { output, error: report.error };
}

function cut(data: Buffer, at: readonly number[]): Buffer[] {
  const places = [0, ...at.map((n) => n % (data.length + 1)).sort((a, b) => a - b), data.length];
  return places.slice(1).map((end, i) => data.subarray(places[i], end));
}

describe('PythonReport', () => {
  it('is found within other output, for any chunk sizes', () => {
    const body = 'ValueError\nTraceback\nValueError: x\n';
    const length = body.length.toString(16).padStart(8, '0');
    const around = fc.string({ unit: 'binary-ascii', maxLength: 50 });
    fc.assert(
      fc.property(around, around, fc.array(fc.nat(), { maxLength: 8 }), (before, after, cuts) => {
        const data = Buffer.from(before + MARKER + length + body + after, 'latin1');
        expect(read(cut(data, cuts))).toEqual({
          output: before + after,
          error: { type: 'ValueError', text: 'Traceback\nValueError: x\n' },
        });
      }),
    );
  });

  it('is undefined if incomplete', () => {
    expect(read([Buffer.from(`a${MARKER}`)])).toEqual({ output: `a${MARKER}`, error: undefined });
    expect(read([Buffer.from(`${MARKER}000000ffshort`)]).error).toBeUndefined();
  });
});

const python = (() => {
  try {
    execFileSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 9)']);
    return true;
  } catch {
    console.log('python3 is not installed: the driver is tested in the computers only');
    return false;
  }
})();

describe.runIf(python)('the Python driver', () => {
  const run = (code: string) => {
    const driver = Buffer.from(PYTHON_DRIVER);
    const script = `python3 -c 'import sys; exec(sys.stdin.buffer.read(${driver.length}))'; echo "exit $?"`;
    const output = execFileSync('bash', ['-c', `{ ${script}; } 2>&1`], {
      input: Buffer.concat([driver, Buffer.from(MARKER + code)]),
    });
    return read([output]);
  };

  it('runs code as the main program, with an empty standard input', () => {
    const code = 'import sys\nprint(__name__, sys.argv, sys.stdin.read() == "")';
    expect(run(code)).toEqual({ output: "__main__ ['<exec>'] True\nexit 0\n", error: undefined });
  });

  it("reports an exception with its source, without the driver's frames", () => {
    const { output, error } = run('def f():\n    return 1 / 0\nprint("before")\nf()');
    expect(output).toBe('before\nexit 1\n');
    expect(error?.type).toBe('ZeroDivisionError');
    expect(error?.text).toContain('File "<exec>", line 2, in f\n    return 1 / 0');
    expect(error?.text).not.toContain('__vc_main__');
  });

  it('reports a syntax error', () => {
    expect(run('print(1)\nif').error).toMatchObject({ type: 'SyntaxError' });
  });

  it('shows the source in tracebacks that the code itself prints', () => {
    const code = 'import traceback\ntry:\n    1 / 0\nexcept Exception: traceback.print_exc()';
    expect(run(code).output).toContain('    1 / 0');
  });

  it.each([
    ['sys.exit()', undefined, 0],
    ['sys.exit(0)', undefined, 0],
    ['sys.exit(3)', 'SystemExit', 3],
    ['sys.exit("words")', 'SystemExit', 1],
    ['raise KeyboardInterrupt', 'KeyboardInterrupt', 1],
  ])('treats %s as Python does', (code, type, exit) => {
    const { output, error } = run(`import sys\n${code}`);
    expect(error?.type).toBe(type);
    expect(output).toContain(`exit ${exit}\n`);
  });

  it('reports an exception that cannot be printed', () => {
    const code = 'class E(Exception):\n  def __str__(self): raise ValueError\nraise E';
    expect(run(code).error?.type).toBe('E');
  });
});
