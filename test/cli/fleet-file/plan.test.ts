import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseFleetFile } from '../../../src/cli/fleet-file/parse.js';
import { moreRunning, planOf, withProject } from '../../../src/cli/fleet-file/plan.js';
import { type Wanted, wantedComputers } from '../../../src/cli/fleet-file/wanted.js';
import type { Context } from '../../../src/cli/framework/context.js';
import { computer } from '../support/run.js';

type Existing = Parameters<typeof planOf>[1][number];

const directory = mkdtempSync(join(tmpdir(), 'vc-fleet-'));
afterAll(() => rmSync(directory, { recursive: true }));

const wantedOf = (computers: string) =>
  wantedComputers(
    { cwd: directory, env: {} } as Context,
    'demo',
    parseFleetFile(`name: demo\ncomputers: ${computers}`, 'computers.yaml', {}),
  );

/** The computer that a creation makes. */
function made({ body }: Wanted, changes: Partial<Existing> = {}): Existing {
  const { name, labels, auto_stop_minutes, on_idle, protected: isProtected } = body;
  const { cpu, ram, resolution, env = {}, network = 'internet' } = body;
  return {
    ...(computer as unknown as Existing),
    ...{ name, labels, auto_stop_minutes, on_idle, protected: isProtected },
    ...{ cpu, ram, resolution, env_names: Object.keys(env), network, ...changes },
  };
}

/** The plan for a file after the computers of another one were made. */
async function planAfter(before: string, after: string, changes: Partial<Existing> = {}) {
  const [old, wanted] = await Promise.all([wantedOf(before), wantedOf(after)]);
  return planOf(
    wanted,
    old.map((one) => made(one, changes)),
  );
}

const actions = (steps: Awaited<ReturnType<typeof planAfter>>) =>
  steps.map(({ name, action, changes }) => [name, action, ...changes].join(' '));

describe('a plan', () => {
  it.each([
    ['an unchanged file', '{a: {cpu: 4}}', '{a: {cpu: 4}}', ['a none']],
    ['a default that is written', '{a: {}}', '{a: {cpu: 2, resolution: 1280x800}}', ['a none']],
    ['another order of names', '{a: {env: {A: 1, B: 2}}}', '{a: {env: {B: 2, A: 1}}}', ['a none']],
    ['a label', '{a: {labels: {x: 1}}}', '{a: {labels: {y: 1}}}', ['a update labels']],
    ['a value', '{a: {env: {A: 1}}}', '{a: {env: {A: 2}}}', ['a update env']],
    ['a network', '{a: {}}', '{a: {network: {allow: [a.example]}}}', ['a update network']],
    ['no network any more', '{a: {network: none}}', '{a: {}}', ['a update network']],
    ['an expiry', '{a: {}}', '{a: {expires_in: 60}}', ['a update expires_in']],
    [
      'settings',
      '{a: {}}',
      '{a: {protected: true, auto_stop_minutes: 5}}',
      ['a update auto_stop_minutes protected'],
    ],
    [
      'a size',
      '{a: {ram: 4}}',
      '{a: {cpu: 4, resolution: 640x480}}',
      ['a update cpu ram resolution'],
    ],
    ['fixed options', '{a: {}}', '{a: {sudo: false, cpu: 4}}', ['a recreate sudo']],
    [
      'a script',
      '{a: {}}',
      '{a: {setup: ls}}',
      ['a recreate files, setup, build or a removed option'],
    ],
    [
      'more and fewer',
      '{a: {count: 2}, b: {}}',
      '{a: {count: 3}}',
      ['a-1 none', 'a-2 none', 'a-3 create', 'b remove'],
    ],
    [
      'a dependency',
      '{}',
      '{a: {depends_on: [b]}, b: {depends_on: [c]}, c: {}}',
      ['c create', 'b create', 'a create'],
    ],
  ])('for %s', async (_, before, after, expected) => {
    expect(actions(await planAfter(before, after))).toEqual(expected);
  });

  it.each([
    [{ status: 'stopped' }, 'a start status'],
    [{ status: 'starting' }, 'a none'],
    [{ status: 'error' }, 'a recreate status'],
    [{ status: 'deleting' }, 'a create'],
    [{ protected: true }, 'a update protected'],
    [{ env_names: ['OTHER'] }, 'a update env'],
  ] as const)('for a computer with %j', async (changes, expected) => {
    expect(actions(await planAfter('{a: {}}', '{a: {}}', changes as object))).toEqual([expected]);
  });

  it('updates what it can if the rest needs another computer', async () => {
    const [step] = await planAfter('{a: {}}', '{a: {setup: ls, labels: {x: 1}}}');
    expect(step).toMatchObject({
      action: 'recreate',
      instead: { action: 'update', changes: ['labels'], body: { labels: { x: '1' } } },
    });
    // The next run finds that it still differs.
    expect(step?.instead?.body?.labels).not.toHaveProperty('vc.config');
  });

  it('removes labels and variables that the file no longer has', async () => {
    const [step] = await planAfter('{a: {labels: {x: 1}, env: {A: 1}}}', '{a: {expires_in: 60}}');
    expect(step?.body).toEqual({
      env: { A: null },
      expires_at: '2025-01-02T03:02:05.000Z',
      labels: { x: null, 'vc.env': null, 'vc.expires': '60' },
    });
  });

  it('shows no value of a variable', async () => {
    const [wanted] = await wantedOf('{a: {env: {A: secret}}}');
    expect(JSON.stringify(wanted?.body.labels)).not.toContain('secret');
  });

  it('refuses a name of a computer that vc up did not make, such as a renamed copy', async () => {
    const [wanted] = await wantedOf('{a: {}}');
    if (wanted === undefined) throw new Error('no computer');
    const copy = { ...made(wanted), name: 'b' };
    expect(planOf([], [copy])).toEqual([]);
    await expect(wantedOf('{b: {}}').then((all) => planOf(all, [copy]))).rejects.toThrow(
      'demo/b exists and was not created by vc up',
    );
  });

  it('marks further computers of a project that vc up has made', async () => {
    const [wanted] = await wantedOf('{a: {}}');
    if (wanted === undefined) throw new Error('no computer');
    const [, step] = planOf(await wantedOf('{a: {}, b: {}}'), [made(withProject(wanted, true))]);
    expect(step?.wanted?.body.labels).toMatchObject({ 'vc.up': 'b', 'vc.project': '' });
  });

  it('counts the computers that will run', async () => {
    const steps = await planAfter('{a: {}, b: {}, c: {}}', '{a: {}, b: {cpu: 4}, d: {}, e: {}}');
    expect(moreRunning(steps)).toBe(1);
  });
});

describe('the files of a computer', () => {
  it('are read beside the file; a build changes with its context, not with times', async () => {
    const write = (name: string, text: string) => writeFileSync(join(directory, name), text);
    write('.env.web', 'A=1\nB=2\n');
    write('setup.sh', 'ls\n');
    write('app.json', '{}');
    write('Dockerfile', 'FROM linux\n');
    const file =
      '{web: {env_file: .env.web, env: {B: 3}, setup_file: setup.sh, files: ["app.json:/etc/app.json"], build: .}}';
    const [wanted] = await wantedOf(file);
    expect(wanted?.body).toMatchObject({
      ...{ env: { A: '1', B: '3' }, setup: 'ls\n', image: 'demo-web' },
      files: [{ path: '/etc/app.json', content_base64: 'e30=' }],
    });
    utimesSync(join(directory, 'Dockerfile'), 1, 1);
    expect((await wantedOf(file))[0]?.body.labels).toEqual(wanted?.body.labels);
    write('Dockerfile', 'FROM linux\nRUN true\n');
    expect((await wantedOf(file))[0]?.body.labels['vc.config']).not.toBe(
      wanted?.body.labels['vc.config'],
    );
  });

  it.each([
    ['{web: {env_file: none}}', '2:13: computers.web cannot be created: cannot read none'],
    ['{web: {build: none}}', 'computers.web cannot be created: none is not a directory'],
    [
      '{a: {image: x, build: .}, b: {image: x, build: {context: ., args: {A: 1}}}}',
      'two computers build the image x differently',
    ],
  ])('are refused: %s', async (computers, message) => {
    await expect(wantedOf(computers)).rejects.toThrow(message);
  });
});
