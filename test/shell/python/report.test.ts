// @module-tag slow
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newMarker, pythonInput, START_PYTHON } from '../../../src/shell/python/driver.js';
import { PythonReport } from '../../../src/shell/python/report.js';
import { isThorough, thorough } from '../../support/run/tiers.js';

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

  it('delays no output that cannot be the beginning of a report', () => {
    const passed: string[] = [];
    const report = new PythonReport(newMarker(), (chunk) => passed.push(chunk.toString()));
    report.write(Buffer.from('name? '));
    expect(passed).toEqual(['name? ']);
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
  const run = (code: string, stdin = '') => {
    const script = `{ (${START_PYTHON}); echo "exit $?"; } 2>&1`;
    const output = execFileSync('bash', ['-c', script], {
      input: Buffer.concat([pythonInput(code, MARKER), Buffer.from(stdin)]),
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    return read([output]);
  };

  it('runs code as the main program', () => {
    const code = 'import sys\nprint(__name__, sys.argv, sys.stdin.read() == "")';
    expect(run(code)).toEqual({ output: "__main__ ['<exec>'] True\nexit 0\n", error: undefined });
  });

  it('leaves the rest of the input to the code and its children', () => {
    const code = 'import subprocess\nsubprocess.run(["head", "-c", "2"])\nprint(input())';
    expect(run(code, 'abcd\n').output).toBe('abcd\nexit 0\n');
    expect(run(`x = "${'é'.repeat(100_000)}"\nprint(len(x), input())`, 'in\n').output).toBe(
      '100000 in\nexit 0\n',
    );
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

  thorough('shows the source in tracebacks that the code itself prints', () => {
    const code = 'import traceback\ntry:\n    1 / 0\nexcept Exception: traceback.print_exc()';
    expect(run(code).output).toContain('    1 / 0');
  });

  const endings: [string, string | undefined, number][] = [
    ['sys.exit(3)', 'SystemExit', 3],
    ['sys.exit()', undefined, 0],
    ['sys.exit("words")', 'SystemExit', 1],
    ['sys.exit(0)', undefined, 0],
    ['raise KeyboardInterrupt', 'KeyboardInterrupt', 130],
    ['sys.exit(256 + 4)', 'SystemExit', 4],
    ['import os; os.kill(os.getpid(), 15)', undefined, 143],
  ];
  it.each(endings.filter((_, i) => isThorough || i % 2 === 0))(
    'treats %s as Python does',
    (code, type, exit) => {
      const { output, error } = run(`import sys\n${code}`);
      expect(error?.type).toBe(type);
      expect(output).toContain(`exit ${exit}\n`);
    },
  );

  thorough('prints what is passed to sys.exit unless it is a number', () => {
    expect(run('import sys\nsys.exit("no such day")').output).toBe('no such day\nexit 1\n');
    expect(run('import sys\nprint("x", end="")\nsys.exit([4])').output).toBe('x[4]\nexit 1\n');
  });

  thorough('reports an exception that cannot be printed', () => {
    const code = 'class E(Exception):\n  def __str__(self): raise ValueError\nraise E';
    expect(run(code).error?.type).toBe('E');
  });
});
