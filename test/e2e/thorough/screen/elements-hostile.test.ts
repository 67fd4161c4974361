import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { BUS } from '../../../../src/shell/elements/bus.js';
import { WALK } from '../../../../src/shell/elements/walk.js';
import { eventually } from '../../../support/eventually.js';
import { type Desktop, openDesktop } from '../../../support/service/desktop.js';

const SERVER = readFileSync(
  new URL('../../../support/hostile/accessible.py', import.meta.url),
  'utf8',
);
/** What a program may have in no text; \n is in values only. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
  await desktop.computer.files.write('hostile.py', [BUS, WALK, SERVER].join('\n'));
  await desktop.run('mousepad >/dev/null 2>&1 &');
});
afterAll(() => desktop.close());

/** Runs `work` while a program has a hostile tree. */
async function besides<T>(kind: string, work: () => Promise<T>): Promise<T> {
  const started = await desktop.run(
    `rm -f ready; setsid python3 hostile.py 1 1 1 1 ${kind} >ready 2>&1 & echo $!`,
  );
  try {
    await desktop.until('grep -q ready ready');
    return await work();
  } finally {
    await desktop.run(`kill -KILL ${started.trim()}; true`);
  }
}

/** A slow host and an emulated machine take longer; the service's limit for a walk does not change. */
const MOST_MS = inject('engine') === 'qemu' ? 60_000 : 20_000;

describe('a program with a hostile tree', () => {
  it.each([
    ['wide', true],
    ['cycle', false],
    ['silent', true],
  ])('%s: the list is cut, clean, and has the other programs', async (kind, isCut) => {
    await besides(kind, async () => {
      const { elements, truncated, ms } = await eventually(async () => {
        const startedAt = performance.now();
        const listed = await desktop.computer.elements({ limit: 1000 });
        const taken = performance.now() - startedAt;
        const names = listed.elements.map(({ name }) => name);
        const isThere = kind === 'silent' || names.some((name) => name.startsWith('hostile'));
        return names.includes('Edit') && isThere && { ...listed, ms: taken };
      }, 300_000);
      expect(truncated).toBe(isCut);
      expect(ms).toBeLessThan(MOST_MS);
      expect(elements.length).toBeLessThanOrEqual(1000);
      expect(new Set(elements.map(({ id }) => id)).size).toBe(elements.length);
      for (const { name, role, actions } of elements) {
        expect(name.length).toBeLessThanOrEqual(200);
        expect([name, role, ...actions].join('')).not.toMatch(UNSAFE);
      }
      if (kind === 'cycle')
        expect(elements.filter(({ name }) => /^hostile/.test(name))).toHaveLength(1);
    });
  });

  it('leaves an element of another program clickable', async () => {
    await besides('silent', async () => {
      const find = async () => (await desktop.computer.find({ name: 'Edit' })).elements[0];
      const edit = await eventually(find, 300_000);
      await desktop.computer.clickElement(edit);
    });
  });
});
