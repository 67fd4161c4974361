import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../../support/eventually.js';
import { openTestService, type TestService, VC } from '../../../support/service/service.js';

const NAMES = Array.from({ length: 10 }, (_, index) => `web-${index + 1}`).sort();
const LONG_MS = 600_000;

let service: TestService;
beforeAll(async () => {
  service = await openTestService(['--max-running', '10']);
  write('one');
});
afterEach(async () => {
  expect((await run('down --yes')).code).toBe(0);
  expect(await service.vc.projects.list()).toEqual([]);
}, LONG_MS);
afterAll(() => service.close());

/** A file with ten computers, the last of which has a label. */
function write(label: string): void {
  const one = `web-10: {labels: {stage: ${label}}}`;
  const text = `name: fleet\ncomputers:\n  web: {count: 9}\n  ${one}\n`;
  writeFileSync(join(service.directory, 'computers.yaml'), text);
}

async function run(words: string) {
  const { code, stdout, stderr } = await service.cli(words.split(' '), { cwd: service.directory });
  return { code, lines: `${stdout}${stderr}`.trimEnd().split('\n').sort() };
}

const all = (verb: string) => NAMES.map((name) => `${verb} fleet/${name}`);
const computers = async () => (await service.vc.projects.get('fleet')).computers;
const running = async () =>
  (await computers()).flatMap(({ name, status }) => (status === 'running' ? [name] : [])).sort();

it('vc up makes ten computers at the same time, then changes nothing but what is edited', {
  timeout: LONG_MS,
}, async () => {
  write('one');
  expect(await run('up')).toEqual({ code: 0, lines: all('created') });
  expect(await running()).toEqual(NAMES);
  const ids = (await computers()).map(({ id }) => id).sort();
  const nothing = 'nothing to change: project fleet matches computers.yaml';
  expect(await run('up')).toEqual({ code: 0, lines: [nothing, ...all('unchanged')].sort() });
  write('two');
  const others = all('unchanged').filter((line) => !line.endsWith('web-10'));
  const updated = 'updated fleet/web-10 (labels)';
  expect(await run('up')).toEqual({ code: 0, lines: [...others, updated].sort() });
  expect((await computers()).map(({ id }) => id).sort()).toEqual(ids);
});

/** Starts `vc up`, and kills it when it has made the first computer. */
async function killedUp(): Promise<void> {
  const child = spawn(process.execPath, [VC, 'up'], { cwd: service.directory, env: service.env });
  await once(createInterface({ input: child.stderr }), 'line');
  child.kill('SIGKILL');
  await once(child, 'close');
}

it('vc up completes what one that was killed has begun, and also after a crash of the service', {
  timeout: LONG_MS,
}, async () => {
  write('one');
  await killedUp();
  await eventually(async () => (await computers()).every(({ status }) => status !== 'starting'));
  const begun = await running();
  expect(begun.length).toBeGreaterThan(0);
  const ids = new Map((await computers()).map(({ name, id }) => [name, id]));
  await service.kill('SIGKILL');
  await service.start();
  expect((await run('up')).code).toBe(0);
  expect(await running()).toEqual(NAMES);
  for (const { name, id } of await computers()) {
    if (begun.includes(name)) expect(id).toBe(ids.get(name));
  }
});

it('a key that has used its budget is refused what would use more, and may end things', {
  timeout: LONG_MS,
}, async () => {
  const { vc, cli } = service;
  await vc.projects.create('work');
  try {
    const { key } = await vc.keys.create({ name: 'worker', max_computers: 1, max_actions: 5 });
    const as = (...words: string[]) => cli(words, { env: { VC_API_KEY: key } });
    expect((await as('create', 'work/desk')).code).toBe(0);
    const second = await as('create', 'work/other');
    expect(second.code).toBe(6);
    expect(second.stderr).toContain('1 of 1 computers created (max_computers)');
    const clicks: (number | undefined)[] = [];
    for (let x = 1; x <= 5; x++) clicks.push((await as('click', 'work/desk', `${x}`, '1')).code);
    expect([clicks[0], clicks.at(-1)]).toEqual([0, 6]);
    expect((await as('click', 'work/desk', '9', '1')).stderr).toContain('5 of 5 actions');
    expect((await as('get', 'work/desk')).code).toBe(0);
    expect((await as('rm', 'work/desk', '--yes')).code).toBe(0);
    expect((await vc.projects.get('work')).computers).toEqual([]);
  } finally {
    await vc.projects.delete('work');
  }
});
