import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService } from '../../../../support/service/service.js';

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service.close());

const vc = (...args: string[]) => service.cli(args);

/** Runs a command that must succeed, and returns its standard output. */
async function ok(...args: string[]): Promise<string> {
  const result = await vc(...args);
  expect(result.code, `vc ${args.join(' ')}\n${result.stderr}`).toBe(0);
  return result.stdout;
}

describe('a new user', () => {
  it('creates a computer without a project, and uses it by its name', async () => {
    const { code, stderr } = await vc('create', 'desk');
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('created default/desk (');
    expect(await ok('ls')).toMatch(/\ndefault\/desk\trunning\t/);
    expect(await ok('exec', 'desk', '--', 'echo', 'hi')).toBe('hi\n');
    expect(await ok('bash', 'desk', 'echo $((6 * 7))')).toBe('42\n');
  });

  it('can omit the name of its only computer', async () => {
    const id = (await ok('get', '-q')).trim();
    expect(id).toMatch(/^cmp_/);
    expect(await ok('get', id.slice(0, -3), '-q')).toBe(`${id}\n`);
    expect((await service.cli(['shell'], { input: 'echo here\n' })).stdout).toContain('here');
    expect((await vc('stop')).code).toBe(2);
    expect((await vc('rm', '--yes')).code).toBe(2);
  });

  it('presses keys and reads the output of a job with short forms', async () => {
    await ok('press', 'desk', 'Escape', 'Ctrl-C');
    expect(JSON.parse(await ok('get', 'desk', '--json', 'name'))).toEqual({ name: 'desk' });
    const job = (await ok('bash', 'desk', '--background', 'echo done')).trim();
    expect(await ok('logs', 'desk', job, '--follow')).toBe('done\n');
  });
});

describe('durations and positions', () => {
  it('can be written with units, and with a comma or a space', async () => {
    const startedAt = performance.now();
    await ok('wait', 'desk', '500ms');
    expect(performance.now() - startedAt).toBeGreaterThan(500);
    const slow = await vc('bash', 'desk', 'sleep 60', '--timeout', '1s');
    expect(slow.stderr).toContain('still running after 1 s');
    // Fails while the window under the pointer closes.
    const locate = 'until xdotool getmouselocation 2>/dev/null; do sleep 0.05; done';
    const pointer = () => ok('bash', 'desk', locate);
    await ok('move', 'desk', '10,20');
    expect(await pointer()).toContain('x:10 y:20');
    await ok('click', 'desk', '30,', '40');
    expect(await pointer()).toContain('x:30 y:40');
    await ok('drag', 'desk', '30,40', '50,60', '--duration', '100ms');
    expect(await pointer()).toContain('x:50 y:60');
    await ok('scroll', 'desk', 'down', '2', '70,80');
    expect(await pointer()).toContain('x:70 y:80');
    await ok('computer', 'update', 'desk', '--auto-stop', '2h');
    expect(await ok('get', 'desk', '--jq', '.auto_stop_minutes')).toBe('120\n');
  });
});

describe('several projects', () => {
  it('with the same computer name need a project or a default project', async () => {
    await ok('project', 'create', 'shop');
    await ok('project', 'create', 'lab');
    for (const project of ['shop', 'lab']) {
      const body = { name: 'twin' };
      const { json } = await service.http('POST', `/projects/${project}/computers?wait=0`, body);
      await ok('stop', json.id);
    }
    const both = await vc('get', 'twin');
    expect(both.code).toBe(2);
    expect(both.stderr).toContain('give one of them: ');
    expect(both.stderr).toMatch(/shop\/twin/);
    await ok('project', 'use', 'lab');
    expect(await ok('project', 'ls')).toMatch(/^lab\t.*\t\*$/m);
    expect(await ok('get', 'twin')).toMatch(/^name\tlab\/twin$/m);
    // Not in the default project; its name is unique.
    expect(await ok('get', 'desk')).toMatch(/^name\tdefault\/desk$/m);
    expect((await vc('get', 'tiwn')).stderr).toContain('Did you mean ');
    await ok('project', 'rm', 'lab', '--yes');
    expect(await ok('get', 'twin')).toMatch(/^name\tshop\/twin$/m);
  });
});
