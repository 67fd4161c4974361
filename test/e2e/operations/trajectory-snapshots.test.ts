// @module-tag slow
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { type OwnDesktop, openOwnDesktop } from '../../support/service/desktop.js';

let desktop: OwnDesktop;
beforeAll(async () => {
  desktop = await openOwnDesktop();
});
afterAll(() => desktop?.close());

const cli = (...argv: string[]) => desktop.service.cli(argv, { cwd: desktop.service.directory });

it('a copy continues from a step of a trajectory, and replay carries out the rest', async () => {
  const { computer, name } = desktop;
  const copy = `${desktop.project}/again`;
  await computer.trajectory.start({ snapshots: { every: 2 } });
  for (const word of ['one', 'two', 'three']) await computer.bash(`echo ${word} >>steps`);
  expect((await computer.snapshots.list()).map((each) => each.name)).toEqual(['step-2']);
  expect(await computer.trajectory.end()).toMatchObject({ steps: 3, snapshots: 1 });
  await cli('computer', 'trajectory', name, '-o', 'run');
  const lines = readFileSync(join(desktop.service.directory, 'run/trajectory.jsonl'), 'utf8');
  expect(lines).toContain('"type":"snapshot","step":2');

  expect((await cli('fork', `${name}@step-2`, 'again')).code).toBe(0);
  const again = desktop.service.vc.computer({ project: desktop.project, name: 'again' });
  const steps = async () => (await again.bash('cat steps')).stdout;
  await eventually(async () => (await steps()) === 'one\ntwo\n', 300_000);
  // The desktop of a copy starts anew, so its picture may differ for long.
  const replayed = await cli(
    'computer',
    'replay',
    copy,
    'run',
    '--from',
    'step-2',
    '--tolerance',
    '100',
  );
  expect(replayed).toMatchObject({ code: 0 });
  expect(await steps()).toBe('one\ntwo\nthree\n');

  await expect(computer.trajectory.start({ snapshots: { every: 2 } })).rejects.toMatchObject({
    code: 'name_taken',
    remedy: expect.stringContaining('vc snapshot rm'),
  });
});
