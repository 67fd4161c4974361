import { expect, it, vi } from 'vitest';
import { Elements } from '../../../src/fleet/elements/elements.js';
import type { ComputerRecord } from '../../../src/fleet/store/records.js';

const COUNT = 100;
const record = {} as ComputerRecord;

/** A computer whose elements all have many marks in a row. */
function openElements(): Elements {
  const value = `a${'\u0301'.repeat(500)}${'\u0323'.repeat(499)}`;
  const row = (index: number) => [`abcdef01-1.1-${index}`, 1, 1, 'a', value, [0, 0, 1, 1], []];
  const elements = Array.from({ length: COUNT }, (_, index) => row(index));
  const stdout = JSON.stringify({ elements, truncated: false });
  const shell = { run: async () => ({ stdout, exitCode: 0, timedOut: false }) };
  const session = {
    describe: async () => ({ isolation: 'container', programs: 'x11' }),
    screen: {
      use: async <T>(work: (screen: object) => T) => work({ size: { width: 9, height: 9 } }),
    },
    shell: { use: async <T>(work: (opened: object) => T) => work(shell) },
  };
  return new Elements({ session: async () => session } as never);
}

it('prepares the texts of elements once for all who ask', async () => {
  const found = openElements();
  const normalize = vi.spyOn(String.prototype, 'normalize');
  try {
    const finding = Array.from({ length: 40 }, () =>
      found.find(record, { limit: 10, text: 'a' } as never),
    );
    for (const { elements } of await Promise.all(finding)) expect(elements).toHaveLength(10);
    const longest = Math.max(...normalize.mock.contexts.map((text) => String(text).length));
    expect(longest).toBeLessThan(40);
    const whole = normalize.mock.contexts.filter((text) => String(text).startsWith('a\u0301'));
    expect(whole).toHaveLength(COUNT);
  } finally {
    normalize.mockRestore();
  }
});
