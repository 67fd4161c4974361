// @module-tag slow
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateKeyPair } from '../../src/shell/keys.js';
import { openShell } from '../../src/shell/shell.js';
import type { RunInput, SpawnInput } from '../../src/shell/types.js';
import { eventually } from '../support/eventually.js';
import { duplexPair, type Guest, openGuest } from './support/guest.js';

let guest: Guest;
const directory = mkdtempSync(join(tmpdir(), 'vc-shell-'));
beforeAll(async () => {
  guest = await openGuest();
});
afterAll(() => {
  guest.close();
  rmSync(directory, { recursive: true, force: true });
});

const run = (command: string, options: Partial<RunInput> = {}) =>
  guest.shell.run({ command, timeoutMs: 10_000, background: false, ...options });
const alive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
async function gone(pid: number) {
  for (let i = 0; i < 100 && alive(pid); i++) await sleep(20);
  return !alive(pid);
}

describe('run', () => {
  it('returns output, errors and exit code separately', async () => {
    expect(await run('echo out; echo err >&2; exit 3')).toEqual({
      stdout: 'out\n',
      stderr: 'err\n',
      exitCode: 3,
      timedOut: false,
      truncated: false,
    });
  });

  it('applies the directory and the variables, and has an empty standard input', async () => {
    const env = { X: "it's $HOME; `id`" };
    const { stdout } = await run('pwd; echo "$X"; read x || echo end', { cwd: '/', env });
    expect(stdout).toBe("/\nit's $HOME; `id`\nend\n");
  });

  it('rejects a directory that does not exist', async () => {
    const wrong = run('pwd', { cwd: '/no/such' });
    await expect(wrong).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'cwd: "/no/such" is not a directory in the computer.',
    });
    await expect(run('pwd', { cwd: '-' })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('shows nothing of the command in a process list', async () => {
    const { stdout } = await run(': a-secret-word; ps -eo args');
    expect(stdout).toContain('ps -eo args');
    expect(stdout).not.toContain('a-secret-word');
  });

  it('accepts a script of one megabyte', async () => {
    const { stdout } = await run(`x=${'a'.repeat(900_000)}; echo \${#x}`);
    expect(stdout).toBe('900000\n');
  });

  it('returns while a program left running holds its output', async () => {
    const { stdout } = await run('sleep 20 & echo $!');
    expect(alive(Number(stdout))).toBe(true);
    // An idle connection stays open for it.
    expect(guest.shell.holding).toBe(true);
    process.kill(Number(stdout));
    await eventually(async () => !guest.shell.holding);
  });

  it('does not end a program left running when it prints later', async () => {
    const { stdout } = await run('{ sleep 0.6; echo noise; sleep 20; } & echo $!');
    // The program may have printed "noise" already.
    const pid = Number.parseInt(stdout, 10);
    await sleep(1_000);
    expect(alive(pid)).toBe(true);
    process.kill(pid);
  });

  it('ends the whole process group on time-out, even if it ignores TERM', async () => {
    const script = "trap '' TERM; sleep 71 & echo $!; sleep 72";
    const result = await run(script, { timeoutMs: 500 });
    expect(result).toMatchObject({ timedOut: true, exitCode: null });
    expect(await gone(Number(result.stdout))).toBe(true);
  });

  it('ends the process group on abort', async () => {
    const file = join(directory, 'pid');
    const signal = AbortSignal.timeout(400);
    const left = run(`echo $$ >${file}; sleep 73`, { signal });
    await expect(left).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(await gone(Number(readFileSync(file, 'utf8')))).toBe(true);
  });

  it('caps the output of a command that prints forever', async () => {
    const result = await run('yes', { timeoutMs: 500 });
    expect(result).toMatchObject({ timedOut: true, truncated: true });
    expect(result.stdout).toHaveLength(1024 * 1024);
  });

  it('leaves a background command running, its output in a file', async () => {
    const { pid, ...result } = await run('echo begun; sleep 74', { background: true });
    expect(result).toMatchObject({ exitCode: null, stdout: '' });
    const log = `/tmp/vc-job-${pid}.log`;
    const { stdout } = await run(`sleep 0.2; cat ${log}; rm ${log}; ps -o pgid=,args= ${pid}`);
    expect(stdout).toMatch(/^begun\n\s*\d+ bash -c/);
    expect(Number(/^begun\n\s*(\d+)/.exec(stdout)?.[1])).toBe(pid);
    process.kill(-Number(pid));
  });

  it('runs many commands at once', async () => {
    const numbers = Array.from({ length: 20 }, (_, i) => i);
    const results = await Promise.all(numbers.map((i) => run(`sleep 0.1; echo ${i}`)));
    expect(results.map(({ stdout }) => Number(stdout))).toEqual(numbers);
  });
});

describe('spawn', () => {
  const spawn = async (argv: string[], input: string) => {
    const child = await guest.shell.spawn({ argv });
    child.stdin.end(input);
    // Output may still be in flight when the exit is known.
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { ...(await child.exit), stdout, stderr };
  };

  it('passes arguments and input unchanged', async () => {
    const argv = ['sh', '-c', 'printf "[%s]" "$@"; cat', 'sh', 'a b', "it's", '', '*', '$X', '\n'];
    expect(await spawn(argv, 'input')).toEqual({
      code: 0,
      signal: null,
      stdout: "[a b][it's][][*][$X][\n]input",
      stderr: '',
    });
  });

  const outcomeOf = async (input: SpawnInput, stdin = '') => {
    const child = await guest.shell.spawn(input);
    child.stdin.end(stdin);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { ...(await child.exit), stdout, stderr };
  };

  it('runs a script with the directory, the variables and the rest of the input', async () => {
    const command = 'read x; pwd; echo "$X $x" >&2; cat; exit 3';
    const outcome = await outcomeOf({ command, cwd: '/', env: { X: "it's" } }, 'one\ntwo\n');
    expect(outcome).toEqual({
      code: 3,
      signal: null,
      stdout: '/\ntwo\n',
      stderr: "it's one\n",
    });
    const killed = await outcomeOf({ command: 'kill -TERM $$' });
    expect(killed).toMatchObject({ code: null, signal: 'SIGTERM' });
  });

  it('shows nothing of a script or of Python code in a process list', async () => {
    const { stdout } = await outcomeOf({ command: ': a-secret-word; ps -eo args' });
    const code = '"a-secret-word"; import os; os.system("ps -eo args")';
    const python = await outcomeOf({ code });
    for (const list of [stdout, python.stdout]) {
      expect(list).toContain('ps -eo args');
      expect(list).not.toContain('a-secret-word');
    }
  });

  it('runs Python code with its own input, exit code and exception', async () => {
    const code = 'import os, sys\nprint(os.getcwd(), input(), os.environ["X"])\nsys.exit(4)';
    expect(await outcomeOf({ code, cwd: '/', env: { X: 'é' } }, 'in\n')).toMatchObject({
      code: 4,
      stdout: '/ in é\n',
      stderr: '',
      errorType: 'SystemExit',
    });
    const failed = await outcomeOf({ code: 'import sys\nprint("x", file=sys.stderr)\n1 / 0' });
    expect(failed).toMatchObject({ code: 1, stderr: 'x\n', errorType: 'ZeroDivisionError' });
    expect(failed.error).toMatch(/^Traceback[\s\S]*line 3[\s\S]*ZeroDivisionError: /);
  });

  it('shows a prompt of Python code at once', async () => {
    const code = 'import sys\nprint("name? ", end="", file=sys.stderr, flush=True)\nprint(input())';
    const child = await guest.shell.spawn({ code });
    expect(String((await once(child.stderr, 'data'))[0])).toBe('name? ');
    child.stdin.end('x\n');
    expect(await text(child.stdout)).toBe('x\n');
  });

  it('ends processes that an interrupted script leaves behind', async () => {
    const child = await guest.shell.spawn({ command: 'sleep 79 & echo $!; wait' });
    const pid = Number((await once(child.stdout, 'data'))[0]);
    await child.kill('INT');
    child.stdout.resume();
    child.stderr.resume();
    expect(await child.exit).toEqual({ code: null, signal: 'SIGINT' });
    expect(alive(pid)).toBe(true);
    await child.end();
    expect(await gone(pid)).toBe(true);
  });

  it('reports a missing program', async () => {
    expect(await spawn(['no-such-program'], '')).toMatchObject({ code: 127 });
  });

  it('shows no arguments in a process list before the program runs', async () => {
    const list = `import glob
for path in glob.glob('/proc/[0-9]*/cmdline'):
    try:
        print(open(path).read().replace(chr(0), ' '))
    except OSError:
        pass`;
    // The list covers the whole host, so the argument must be unique.
    const { stdout } = await spawn(['python3', '-c', list, 'argument-54321'], '');
    expect(stdout.split('\n').filter((line) => line.includes('argument-54321'))).toHaveLength(1);
  });

  it('waits for a slow reader without losing output', async () => {
    const child = await guest.shell.spawn({ argv: ['head', '-c', '12000000', '/dev/zero'] });
    let length = 0;
    for await (const chunk of child.stdout) {
      if (length < 2_000_000) await sleep(20);
      length += chunk.length;
    }
    expect([length, await child.exit]).toEqual([12_000_000, { code: 0, signal: null }]);
  });

  it('signals the group', async () => {
    const child = await guest.shell.spawn({ argv: ['sleep', '75'] });
    child.stdout.resume();
    child.stderr.resume();
    await child.kill('TERM');
    expect(await child.exit).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('ends the process group on abort', async () => {
    const client = new AbortController();
    const child = await guest.shell.spawn({ argv: ['sleep', '76'] }, client.signal);
    child.stdout.resume();
    child.stderr.resume();
    client.abort();
    expect((await child.exit).code).toBeNull();
  });
});

it('says whether the output of Python code is whole', async () => {
  const python = (code: string) => guest.shell.python({ code, timeoutMs: 30_000 });
  expect(await python('print(1)')).toMatchObject({ output: '1\n', truncated: false });
  const long = await python('print("x" * 2_000_000)');
  expect(long.truncated).toBe(true);
  expect(long.output.length).toBeLessThan(1_100_000);
});

it('says that nothing listens on a port', async () => {
  const closed = await openGuest({
    onLogin: (client) => client.on('tcpip', (_accept, reject) => reject()),
  });
  await expect(closed.shell.connect(1)).rejects.toMatchObject({
    code: 'target_failed',
    message: 'Nothing in the computer listens on port 1.',
    remedy: expect.stringContaining('ss -ltn'),
  });
  closed.close();
});

describe('the connection', () => {
  it('rejects everything pending when it is lost, and reports it once', async () => {
    const other = await openGuest();
    const closed: unknown[] = [];
    other.shell.onClose((error) => closed.push(error));
    const waiting = other.shell.run({ command: 'sleep 77', timeoutMs: 9_000, background: false });
    const child = await other.shell.spawn({ argv: ['sleep', '78'] });
    child.stdout.on('error', () => undefined);
    child.stderr.on('error', () => undefined);
    other.stream.destroy();
    await expect(waiting).rejects.toMatchObject({ code: 'guest_failed' });
    await expect(child.exit).rejects.toMatchObject({ code: 'guest_failed' });
    expect(other.shell.open).toBe(false);
    expect(closed).toHaveLength(1);
    await run('pkill -f "^sleep 7[78]"');
  });

  it('can be closed twice and closes immediately', async () => {
    const other = await openGuest();
    const closed: unknown[] = [];
    other.shell.onClose((error) => closed.push(error));
    other.shell.close();
    other.shell.close();
    expect(closed).toEqual([undefined]);
    const late = other.shell.run({ command: 'true', timeoutMs: 1_000, background: false });
    await expect(late).rejects.toMatchObject({ code: 'guest_failed' });
  });

  const hostile = {
    'sends nothing': () => undefined,
    'sends an endless banner': (write: (data: Buffer | string) => void) => {
      for (let i = 0; i < 200; i++) write(`${'x'.repeat(60_000)}\n`);
    },
    'sends garbage': (write: (data: Buffer | string) => void) => {
      write('SSH-2.0-OpenSSH_9\r\n');
      write(Buffer.alloc(100_000, 7));
    },
  };
  it.each(Object.entries(hostile))('gives up on a server that %s', async (_, talk) => {
    const [ours, theirs] = duplexPair();
    theirs.on('error', () => undefined);
    const { privateKey } = generateKeyPair();
    const opening = openShell(ours, { user: 'user', privateKey, timeoutMs: 500 });
    talk((data) => theirs.write(data));
    await expect(opening).rejects.toMatchObject({ code: /^guest_(failed|timeout)$/ });
    expect(ours.destroyed).toBe(true);
  });
});
