// @module-tag slow
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestService, type TestService } from '../../support/service/service.js';

let service: TestService;
beforeAll(async () => {
  service = await openTestService(['--max-running', '3']);
});
afterAll(() => service.close());

/** Runs `vc` beside a file with three computers. */
async function run(words: string, label: string) {
  writeFileSync(
    join(service.directory, 'computers.yaml'),
    `name: fleet
x-base: &base {env: {STAGE: test}, setup: 'echo "$STAGE" > made'}
computers:
  web: {<<: *base, count: 2, depends_on: [db]}
  db: {labels: {stage: ${label}}}
`,
  );
  const { code, stdout, stderr } = await service.cli(words.split(' '), { cwd: service.directory });
  return { code, lines: `${stdout}${stderr}`.trimEnd().split('\n').sort() };
}

it('vc up makes the computers of a file, changes what is edited, and vc down removes them', async () => {
  const first = await run('up', 'one');
  expect(first).toEqual({
    code: 0,
    lines: ['created fleet/db', 'created fleet/web-1', 'created fleet/web-2'],
  });
  const { computers } = await service.vc.projects.get('fleet');
  expect(computers.map(({ name, status }) => `${name} ${status}`).sort()).toEqual(
    ['db', 'web-1', 'web-2'].map((name) => `${name} running`),
  );
  const made = await service.cli(['exec', 'fleet/web-2', '--', 'cat', 'made']);
  expect(made.stdout).toBe('test\n');

  const same = ['unchanged fleet/db', 'unchanged fleet/web-1', 'unchanged fleet/web-2'];
  const nothing = 'nothing to change: project fleet matches computers.yaml';
  expect(await run('up', 'one')).toEqual({ code: 0, lines: [nothing, ...same] });
  expect(await run('diff', 'one')).toEqual({ code: 0, lines: same });

  const [, ...others] = same;
  const edited = ['would update fleet/db (labels)', ...others].sort();
  expect(await run('diff', 'two')).toEqual({ code: 3, lines: edited });
  expect(await run('up', 'two')).toEqual({
    code: 0,
    lines: [...others, 'updated fleet/db (labels)'].sort(),
  });
  const after = (await service.vc.projects.get('fleet')).computers;
  expect(after.map(({ id }) => id)).toEqual(computers.map(({ id }) => id));
  expect(after.find(({ name }) => name === 'db')?.labels.stage).toBe('two');

  expect((await run('down --yes', 'two')).code).toBe(0);
  expect(await service.vc.projects.list()).toEqual([]);
}, 300_000);
