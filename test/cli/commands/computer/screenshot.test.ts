import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openWorld, type World } from '../../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const frame = 'frm_0123456789ab';
const mark = {
  ...{ mark: 1, id: '2c6e3adb-1.8-72', role: 'button', name: 'OK' },
  ...{ states: ['focused'], box: [1, 2, 3, 4], actions: ['click'] },
};
const answer = {
  success: true,
  image: 'aGk=',
  format: 'png',
  frame,
  marks: [mark],
  truncated: true,
};
const shoot = (...words: string[]) => {
  world.service.on('GET /projects/demo/computers/desktop/screenshot', answer);
  return world.run(['screenshot', 'demo/desktop', '--marks', ...words]);
};

it('--marks writes the picture and lists what has which number', async () => {
  const { stdout, stderr, code } = await shoot('-o', 'marks.png');
  expect(code).toBe(0);
  expect(world.service.received[0]?.url).toContain('marks=1');
  expect(readFileSync(join(world.directory, 'marks.png'), 'utf8')).toBe('hi');
  expect(stdout).toMatch(/^MARK\tROLE\tNAME.*\n1\tbutton\tOK\t/);
  expect(stderr).toContain('there are more elements');
  expect(stderr).toContain(`wrote marks.png, the frame ${frame}`);
});

it('--marks with --json prints the list, and without -o the picture too', async () => {
  const written = JSON.parse((await shoot('-o', 'marks.png', '--json')).stdout);
  const about = { path: 'marks.png', format: 'png', bytes: 2, frame, marks: [mark] };
  expect(written).toEqual({ ...about, truncated: true });
  expect(JSON.parse((await shoot('--json')).stdout)).toEqual(answer);
  expect(world.service.received[1]?.url).toContain('marks=1');
});

it.each([[['-o', '-']], [['--show']]])('--marks with %j is refused', async (words) => {
  const { code, stderr } = await shoot(...words);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--marks: not possible with')]);
  expect(world.service.received).toEqual([]);
});
