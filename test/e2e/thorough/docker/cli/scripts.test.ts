import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { thorough } from '../../../../support/run/tiers.js';
import {
  type CliOptions,
  openTestService,
  type TestService,
} from '../../../../support/service/service.js';

/** An emulated machine takes a minute to boot. */
const LEFT_TO_BOOT = inject('engine') === 'docker' ? [] : ['--no-wait'];

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
  await ok('project', 'create', 'shop');
  await ok('computer', 'create', 'shop/my desk');
});
afterAll(() => service.close());

/** Runs a command that must succeed, and returns its standard output. */
async function ok(...args: string[]): Promise<string> {
  const result = await service.cli(args);
  expect(result.code, `vc ${args.join(' ')}\n${result.stderr}`).toBe(0);
  return result.stdout;
}
const vc = (args: string[], options?: CliOptions) => service.cli(args, options);
const inside = (command: string) => ok('computer', 'bash', 'shop/my desk', command);

describe('a shell script', () => {
  it('reads what it created as JSON', async () => {
    const projects = JSON.parse(await ok('project', 'ls', '--json'));
    expect(projects.projects ?? projects).toMatchObject([{ name: 'shop', computer_count: 1 }]);
    const project = JSON.parse(await ok('project', 'get', 'shop', '--json'));
    expect(project.computers).toMatchObject([{ name: 'my desk', status: 'running' }]);
    const computer = JSON.parse(await ok('computer', 'get', 'shop/my desk', '--json'));
    expect(JSON.parse(await ok('computer', 'get', computer.id, '--json'))).toEqual(computer);
    const list = JSON.parse(await ok('computer', 'ls', '-p', 'shop', '--json'));
    expect(list.computers ?? list).toMatchObject([{ id: computer.id }]);
  });

  it('finds no control codes in a pipe', async () => {
    for (const args of [
      ['project', 'ls'],
      ['computer', 'ls', '-p', 'shop'],
      ['key', 'ls'],
    ]) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
      expect(await ok(...args)).not.toMatch(/[\x00-\x08\x0b-\x1f]/);
    }
  });
});

describe('mouse and keyboard', () => {
  it('drives the desktop', async () => {
    const name = 'shop/my desk';
    await ok('computer', 'move', name, '10', '20');
    expect(await inside('xdotool getmouselocation')).toContain('x:10 y:20');
    await inside('xterm -geometry 80x24+100+100 -e "cat > /tmp/cli" >/dev/null 2>&1 &');
    await inside('until xdotool search --onlyvisible --class xterm; do sleep 0.05; done');
    await ok('computer', 'wait', name, '--stable');
    await ok('computer', 'click', name, '300', '250');
    await ok('computer', 'click', name, '300', '250', '--double');
    await ok('computer', 'type', name, 'from the CLI: é 中 👍');
    await ok('computer', 'key', name, 'Enter', 'ctrl+d');
    await ok('computer', 'wait', name, '0.3');
    expect(await inside('cat /tmp/cli')).toBe('from the CLI: é 中 👍\n');
    await ok('computer', 'click', name, '640', '500', '--right');
    await ok('computer', 'key', name, 'Escape');
    await ok('computer', 'drag', name, '10', '400', '200', '500');
    await ok('computer', 'scroll', name, 'down', '2', '--at', '640,400');
    expect(await inside('xdotool getmouselocation')).toContain('x:640 y:400');
    const piped = await vc(['computer', 'type', name, '-'], { input: '' });
    expect(piped.code).toBe(0);
  });
});

describe('screenshot', () => {
  it('writes the format of the file extension', async () => {
    for (const [extension, format] of [
      ['png', 'png'],
      ['jpg', 'jpeg'],
      ['webp', 'webp'],
    ] as const) {
      const path = join(service.directory, `shot.${extension}`);
      await ok('computer', 'screenshot', 'shop/my desk', '-o', path);
      expect(await sharp(path).metadata()).toMatchObject({ format, width: 1280, height: 800 });
    }
  });

  it('writes bytes into a pipe', async () => {
    const { bytes, code } = await vc(['computer', 'screenshot', 'shop/my desk', '-o', '-']);
    expect(code).toBe(0);
    expect((await sharp(bytes).metadata()).format).toBe('png');
  });
});

describe('commands', () => {
  it('streams output and input, and ends with the exit code of the command', async () => {
    const name = 'shop/my desk';
    const result = await vc(
      ['computer', 'exec', name, '--', 'sh', '-c', 'cat; echo e >&2; exit 7'],
      {
        input: 'stdin é\n',
      },
    );
    expect(result).toMatchObject({ code: 7, stdout: 'stdin é\n', stderr: 'e\n' });
    const args = await ok('computer', 'exec', name, '--', 'printf', '%s|', "it's", '$HOME', '');
    expect(args).toBe("it's|$HOME||");
  });

  it('passes megabytes both ways unchanged', async () => {
    const data = Buffer.alloc(5_000_000, 'abcdefghijklmnopqrstuvwxyz\0\n');
    const result = await vc(['computer', 'exec', 'shop/my desk', '--', 'cat'], { input: data });
    expect(result.bytes.equals(data)).toBe(true);
  });

  it('runs Python', async () => {
    expect(await ok('computer', 'python', 'shop/my desk', '-c', 'print(6 * 7)')).toBe('42\n');
    const script = join(service.directory, 'script.py');
    writeFileSync(script, 'raise ValueError("no")\n');
    const failed = await vc(['computer', 'python', 'shop/my desk', script]);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('ValueError');
  });
});

describe('keys and profiles', () => {
  it('creates and revokes a key', async () => {
    const created = JSON.parse(await ok('key', 'create', 'ci', '--json'));
    expect(Object.keys(created)).toEqual(expect.arrayContaining(['id', 'name', 'key']));
    const other = { VC_API_KEY: created.key };
    expect((await vc(['project', 'ls'], { env: other })).code).toBe(0);
    expect(await ok('key', 'ls')).toContain('ci');
    await ok('key', 'rm', created.id, '--yes');
    const refused = await vc(['project', 'ls'], { env: other });
    expect(refused.code).toBe(4);
    expect(refused.stderr).not.toContain(created.key);
  });

  it('stores the first key in the default profile, readable by its user only', async () => {
    const path = join(service.directory, 'config', 'config.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toContain(service.apiKey);
    expect(statSync(join(service.directory, 'state')).mode & 0o777).toBe(0o700);
    expect(statSync(join(service.directory, 'state', 'vc.db')).mode & 0o777).toBe(0o600);
    expect(service.log()).not.toContain(service.apiKey);
  });

  it('stores profiles by name', async () => {
    const added = await vc(['profile', 'add', 'other', '--base-url', service.baseUrl], {
      input: `${service.apiKey}\n`,
    });
    expect(added.code, added.stderr).toBe(0);
    await ok('profile', 'use', 'other');
    await ok('project', 'ls');
    expect(await ok('profile', 'ls')).toContain('other');
    await ok('profile', 'use', 'default');
    await ok('profile', 'rm', 'other', '--yes');
  });
});

describe('errors', () => {
  it.each([
    [['computer', 'get', 'shop/none'], 5],
    [['project', 'get', 'none'], 5],
    [['computer', 'click', 'shop/my desk', '5000', '1'], 1],
    [['computer', 'click', 'shop/my desk', 'left', '1'], 2],
    [['computer', 'frobnicate'], 2],
    [['project', 'create', 'shop'], 6],
    [['project', 'create', 'no/slash'], 1],
    [['project', 'rm', 'shop'], 2],
  ] as [string[], number][])('vc %j ends with %i and one clear message', async (args, code) => {
    const result = await vc(args);
    expect(result.stdout).toBe('');
    expect(result.stderr.trim().split('\n').length).toBeLessThanOrEqual(3);
    expect(result.stderr).not.toMatch(/\n\s+at /);
    expect(result.code, result.stderr).toBe(code);
  });

  it('explains how to start the service when it is not running', async () => {
    const result = await vc(['project', 'ls'], { env: { VC_BASE_URL: 'http://127.0.0.1:9/api' } });
    expect(result.code).toBe(7);
    expect(result.stderr).toContain('vc serve');
  });

  it('refuses a port in use and leaves the running service alone', async () => {
    const { host } = new URL(service.baseUrl);
    const result = await vc(['serve', '--listen', host], {
      env: { VC_STATE_DIR: join(service.directory, 'second') },
    });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('in use');
    const locked = await vc(['serve', '--listen', '127.0.0.1:0']);
    expect(locked.code).toBe(1);
    expect(locked.stderr).toContain('another vc serve');
    await ok('project', 'ls');
  });
});

thorough('stops, starts, restarts and removes a computer', async () => {
  await ok('computer', 'create', 'extra', '-p', 'shop');
  await ok('computer', 'stop', 'shop/extra');
  expect(JSON.parse(await ok('computer', 'get', 'shop/extra', '--json')).status).toBe('stopped');
  expect((await vc(['computer', 'click', 'shop/extra', '1', '1'])).stderr).toContain('start');
  await ok('computer', 'start', 'shop/extra');
  await ok('computer', 'restart', 'shop/extra', ...LEFT_TO_BOOT);
  await ok('computer', 'rm', 'shop/extra', '--yes');
  expect((await vc(['computer', 'get', 'shop/extra'])).code).toBe(5);
});

describe('a project', () => {
  thorough('stops, starts and restarts all its computers', async () => {
    await ok('project', 'stop', 'shop');
    await ok('computer', 'wait', 'shop/my desk', '--for', 'stopped');
    await ok('project', 'start', 'shop');
    if (LEFT_TO_BOOT.length === 0) {
      await ok('computer', 'wait', 'shop/my desk', '--for', 'running');
    }
    await ok('project', 'restart', 'shop');
    await ok('computer', 'wait', 'shop/my desk', '--for', 'running');
    expect(await inside('echo back')).toBe('back\n');
    const byName = await service.http('GET', '/projects/by-name/shop');
    expect(byName.json.computers).toMatchObject([{ name: 'my desk', status: 'running' }]);
    const list = await service.http('GET', '/projects/shop/computers');
    expect(list.json.computers).toHaveLength(1);
  });

  it('is removed with its computers', async () => {
    await ok('project', 'create', 'brief');
    await ok('project', 'rm', 'brief', '--yes');
    expect((await vc(['project', 'get', 'brief'])).code).toBe(5);
  });
});

describe('this host', () => {
  it('shows its images and missing requirements', async () => {
    const engine = inject('engine');
    expect(await ok('image', 'ls')).toMatch(new RegExp(`^linux\\s+${engine}\\s`, 'm'));
    const doctor = await vc(['doctor', '--json']);
    expect([0, 1]).toContain(doctor.code);
    expect(JSON.stringify(JSON.parse(doctor.stdout))).toContain(engine);
    expect(await ok('image', 'build', 'linux', '--if-missing')).not.toContain('error');
  });

  it('shows where each setting comes from', async () => {
    expect(await ok('profile', 'get')).toContain(service.baseUrl);
  });
});
