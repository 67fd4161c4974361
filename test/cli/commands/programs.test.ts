// @module-tag slow
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Interrupts } from '../../../src/cli/framework/interrupts.js';
import { eventually } from '../../support/eventually.js';
import { type GuestApp, openGuestApp } from '../../support/guest-app.js';
import { inTier, isThorough, thorough } from '../../support/run/tiers.js';
import { openWorld, type RunOptions, type World } from '../support/run.js';

let app: GuestApp;
let world: World;
beforeAll(async () => {
  app = await openGuestApp();
  world = await openWorld();
});
afterAll(async () => {
  await world.close();
  await app.close();
});

/** Runs `vc VERB demo/desktop WORDS` with a computer whose commands run on this machine. */
const vc = (verb: string, words: readonly string[], options: RunOptions = {}) => {
  const env = { VC_BASE_URL: app.baseUrl, VC_API_KEY: app.key, ...options.env };
  return world.run([verb, 'demo/desktop', ...words], { ...options, env });
};

describe('the exit code', () => {
  const programs: [string, string, number][] = [
    ['bash', 'exit 4', 4],
    ['bash', 'kill -HUP $$', 129],
    ['bash', 'kill -TERM $$', 143],
    ['bash', 'kill -INT $$', 130],
    ['bash', 'no-such-program-1', 127],
    ['python', 'raise SystemExit', 0],
    ['python', 'import sys; sys.exit(4)', 4],
    ['python', 'import sys; sys.exit(300)', 44],
    ['python', 'raise KeyboardInterrupt', 130],
    ['python', 'import os; os.kill(os.getpid(), 15)', 143],
  ];
  it.each(programs.filter((_, i) => isThorough || i % 2 === 0))(
    'of %s %j is %i, without a message of vc',
    async (verb, program, expected) => {
      const { code, stderr } = await vc(verb, ['-c', program]);
      expect(code).toBe(expected);
      expect(stderr).toMatch(expected === 127 ? /^bash: .*not found\n$/ : /^$/);
    },
  );

  it('is that of an exception of Python, which is printed', async () => {
    const { code, stdout, stderr } = await vc('python', ['-c', 'print(1)\n1 / 0']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '1\n' });
    expect(stderr).toMatch(/^Traceback[\s\S]*\n {4}1 \/ 0\n[\s\S]*ZeroDivisionError: .*\n$/);
    const words = await vc('python', ['-c', 'import sys; sys.exit("no such day")']);
    expect(words).toMatchObject({ code: 1, stdout: '', stderr: 'no such day\n' });
  });

  it('127 of exec comes with the way to a shell', async () => {
    const { code, stdout, stderr } = await vc('exec', ['ls -l']);
    expect({ code, stdout }).toEqual({ code: 127, stdout: '' });
    expect(stderr).toContain(
      'there is no program named "ls -l"; exec runs a program without a shell. With a shell: vc bash demo/desktop \'ls -l\'\n',
    );
    const missing = await vc('exec', ['--', 'no-such-program-1', 'a b']);
    expect(missing.stderr).toContain("vc bash demo/desktop 'no-such-program-1 '\\''a b'\\'''\n");
    expect((await vc('exec', ['-q', '--', 'no-such-program-1'])).stderr).not.toContain('vc bash');
    const ofShell = await vc('exec', ['--', 'sh', '-c', 'exit 127']);
    expect(ofShell).toMatchObject({ code: 127, stderr: '' });
  });

  it('127 of bash for the name of a local file comes with the way to run it', async () => {
    await writeFile(join(world.directory, 'my-setup.sh'), 'echo from the file\n');
    const { code, stderr } = await vc('bash', ['my-setup.sh']);
    expect(code).toBe(127);
    expect(stderr).toMatch(
      /^bash: .*not found\nmy-setup\.sh is a file of this machine; to run it in the computer: vc bash demo\/desktop -f my-setup\.sh\n$/,
    );
    expect((await vc('bash', ['-f', 'my-setup.sh'])).stdout).toBe('from the file\n');
  });

  it.each(inTier({ thorough: ['print(1)', '6*7', '1 + 1', 'x=1', '42'], quick: ['6*7'] }))(
    'code %j in the place of the file of python comes with the option for code',
    async (code) => {
      const outcome = await vc('python', [code]);
      expect(outcome).toMatchObject({ code: 125, stdout: '' });
      expect(outcome.stderr).toMatch(
        /^error: cannot read .*\n {7}SCRIPT is a local file; to run code: vc python demo\/desktop -c .+\n$/,
      );
      expect((await vc('python', ['missing.py'])).stderr).toMatch(/\n {7}check the path\n$/);
    },
  );

  it('is 124 at the time limit', async () => {
    for (const [verb, words] of [
      ['bash', ['--timeout', '3s', 'echo begun; sleep 60']],
      ['python', ['--timeout', '4s', '-c', 'print("begun"); import time; time.sleep(60)']],
      ['exec', ['--timeout', '3s', '--', 'sh', '-c', 'echo begun; sleep 60']],
    ] as const) {
      const { code, stdout, stderr } = await vc(verb, words);
      expect({ verb, code, stdout }).toEqual({ verb, code: 124, stdout: 'begun\n' });
      expect(stderr).toMatch(
        /^error: the program was still running after [\d.]+ s and was ended\n {7}increase --timeout\n$/,
      );
    }
  });
});

describe.each([
  ['bash', ['read x; echo "$PWD $A $x" >&2; cat']],
  [
    'python',
    [
      '-c',
      'import os, sys\nx = input()\nprint(os.getcwd(), os.environ["A"], x, file=sys.stderr)\nprint(sys.stdin.read(), end="")',
    ],
  ],
  ['exec', ['--', 'sh', '-c', 'read x; echo "$PWD $A $x" >&2; cat']],
])('%s', (verb, program) => {
  it('has directory, variables and input, and both outputs', async () => {
    const words = ['--cwd', '/', '-e', 'A=1=2', ...program];
    const outcome = await vc(verb, words, { stdin: 'one\ntwo\nthree' });
    expect(outcome).toMatchObject({ code: 0, stdout: 'two\nthree', stderr: '/ 1=2 one\n' });
  });

  it('does not read stdin with -n', async () => {
    const { stdout } = await vc(verb, ['-n', '-e', 'A=', ...program], { stdin: 'one\ntwo' });
    expect(stdout).toBe('');
  });

  it('returns 125 when vc itself fails', async () => {
    const refused = { VC_BASE_URL: 'http://127.0.0.1:1/api' };
    for (const [words, env] of [
      [program, refused],
      [program, { VC_API_KEY: 'vc_wrong' }],
      [['--cwd', '/no/such', ...program], {}],
      [['-e', 'nothing', ...program], {}],
      [['--timeout', 'soon', ...program], {}],
      [['--no-such-option', ...program], {}],
      [[], {}],
    ] as const) {
      const { code, stdout, stderr } = await vc(verb, words, { env });
      expect({ code, stdout }, stderr).toEqual({ code: 125, stdout: '' });
      expect(stderr).toMatch(/^error: [^\n]*\n( {7}[^\n]*\n)?$/);
    }
    const env = { VC_BASE_URL: app.baseUrl, VC_API_KEY: app.key };
    for (const argv of [
      [verb, 'demo/none', ...program],
      ['computer', verb, 'demo/none', ...program],
      ['computers', verb, '--no-such-option'],
      [verb, '--json', 'demo/none', ...program],
    ]) {
      expect((await world.run(argv, { env })).code, argv.join(' ')).toBe(125);
    }
  });

  it('prints one JSON document with all of its output', async () => {
    const words = ['--json', '--cwd', '/', '-e', 'A=b', ...program];
    const { code, stdout } = await vc(verb, words, { stdin: 'one\ntwo' });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      success: true,
      output: 'two/ b one\n',
      stdout: 'two',
      stderr: '/ b one\n',
      exit_code: 0,
      signal: null,
      timed_out: false,
      truncated: false,
    });
  });
});

it('shell returns 125 when vc itself fails, and other commands keep their codes', async () => {
  const env = { VC_BASE_URL: 'http://127.0.0.1:1/api' };
  expect((await vc('shell', [], { env })).code).toBe(125);
  expect((await vc('shell', ['--no-such-option'])).code).toBe(125);
  expect((await vc('get', [], { env })).code).toBe(7);
  expect((await vc('get', ['--no-such-option'])).code).toBe(2);
  expect((await world.run(['computer', 'bsh'])).code).toBe(2);
  expect((await world.run(['bash', '--help'])).code).toBe(0);
});

thorough('JSON says that a command failed', async () => {
  const document = async (verb: string, words: readonly string[]) =>
    JSON.parse((await vc(verb, ['--json', ...words])).stdout);
  expect(await document('bash', ['exit 2'])).toMatchObject({ success: false, exit_code: 2 });
  expect(await document('bash', ['kill -TERM $$'])).toMatchObject({
    ...{ success: false, exit_code: null, signal: 'TERM' },
  });
  expect(await document('bash', ['--timeout', '300ms', 'sleep 60'])).toMatchObject({
    ...{ success: false, exit_code: null, timed_out: true },
  });
  expect(await document('python', ['-c', 'print(1); 1 / 0'])).toMatchObject({
    ...{ success: false, output: '1\n', stderr: '', exit_code: 1, error_type: 'ZeroDivisionError' },
    error: expect.stringMatching(/^Traceback/),
  });
  expect(await document('exec', ['--', 'false'])).toMatchObject({ success: false, exit_code: 1 });
});

thorough('a large output is complete', async () => {
  const { stdoutBytes, stderr } = await vc('bash', [
    'head -c 3000000 /dev/zero; head -c 2000000 /dev/zero | tr "\\0" x >&2',
  ]);
  expect(stdoutBytes).toHaveLength(3_000_000);
  expect(stderr).toHaveLength(2_000_000);
  const { stdout } = await vc('python', ['--json', '-c', 'print("x" * 3_000_000)']);
  expect(JSON.parse(stdout).stdout).toHaveLength(3_000_001);
});

describe('a script', () => {
  it.each(['bash', 'python'])('of %s is text, a file, or stdin', async (verb) => {
    const text = verb === 'bash' ? 'echo "a  b"' : 'print("a  b")';
    await writeFile(join(world.directory, 'task'), text);
    for (const words of [
      ['-c', text],
      ['-f', 'task'],
      ['--file', 'task'],
    ]) {
      expect(await vc(verb, words)).toMatchObject({ code: 0, stdout: 'a  b\n', stderr: '' });
    }
    for (const words of [['-f', '-'], ['-'], []]) {
      expect(await vc(verb, words, { stdin: text })).toMatchObject({ stdout: 'a  b\n' });
    }
    const positional = verb === 'bash' ? text : 'task';
    expect(await vc(verb, [positional])).toMatchObject({ stdout: 'a  b\n' });
  });

  it.each(['bash', 'python'])('of %s must be a single readable one', async (verb) => {
    await writeFile(join(world.directory, 'latin1'), Buffer.from([0x65, 0xe9]));
    await writeFile(join(world.directory, 'nul'), 'a\0b');
    for (const [words, message] of [
      [[], 'no script given'],
      [['-c', 'x', '-f', 'y'], 'give one script only'],
      [['x', '-c', 'y'], 'give one script only'],
      [['-f', 'none'], 'cannot read none: no such file or directory'],
      [['-f', '.'], 'cannot read .: is a directory'],
      [['-f', 'latin1'], 'latin1 is not UTF-8 text'],
      [['-f', 'nul'], 'must have no NUL'],
    ] as const) {
      const { code, stderr } = await vc(verb, words);
      expect(stderr).toContain(message);
      expect(code).toBe(125);
    }
  });

  it('in the background has no time limit and no input', async () => {
    const { code, stderr } = await vc('bash', ['--background', '--timeout', '5s', 'true']);
    expect(stderr).toContain('--timeout: not possible with --background');
    expect(code).toBe(125);
  });
});

describe('Ctrl-C', () => {
  const isRunning = (program: string) =>
    execa('pgrep', ['-f', `^${program}$`]).then(
      () => true,
      () => false,
    );

  it.each([
    ['bash', ['trap "" TERM; sleep 97.531 & sleep 97.532']],
    ['python', ['-c', 'import subprocess; subprocess.run(["sleep", "97.532"])']],
    ['exec', ['--', 'sleep', '97.532']],
  ])('ends %s and what it started', async (verb, words) => {
    const interrupts = new Interrupts();
    const running = vc(verb, words, { interrupts });
    await eventually(() => isRunning('sleep 97.532'));
    interrupts.trigger('SIGINT');
    expect(await running).toMatchObject({ code: 130, stdout: '', stderr: '' });
    await eventually(async () => !(await isRunning('sleep 97.53[12]')));
    const env = { VC_BASE_URL: app.baseUrl, VC_API_KEY: app.key };
    const { stdout } = await world.run(['audit', '--limit', '1', '--json'], { env });
    expect(JSON.parse(stdout).entries[0]).toMatchObject({ outcome: 'cancelled' });
  });
});
