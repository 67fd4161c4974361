import { expect, it, vi } from 'vitest';
import { Elements } from '../../../src/fleet/elements/elements.js';
import type { ComputerRecord } from '../../../src/fleet/store/records.js';

it('prepares the texts of elements once for all who ask, and answers them in several turns', async () => {
  const value = `a${'\u0301'.repeat(500)}${'\u0323'.repeat(499)}`;
  const row = (index: number) => [`abcdef01-1.1-${index}`, 1, 1, 'a', value, [0, 0, 1, 1], []];
  const elements = Array.from({ length: 100 }, (_, index) => row(index));
  const stdout = JSON.stringify({ elements, truncated: false });
  const shell = { run: async () => ({ stdout, exitCode: 0, timedOut: false }) };
  const session = {
    describe: async () => ({ isolation: 'container', programs: 'x11' }),
    screen: {
      use: async <T>(work: (screen: object) => T) => work({ size: { width: 9, height: 9 } }),
    },
    shell: { use: async <T>(work: (opened: object) => T) => work(shell) },
  };
  const found = new Elements({ session: async () => session } as never);
  const normalize = vi.spyOn(String.prototype, 'normalize');
  try {
    const record = {} as ComputerRecord;
    let answered = 0;
    const inTurn: number[] = [];
    const count = () => {
      inTurn.push(answered);
      answered = 0;
      if (inTurn.reduce((sum, one) => sum + one) < 40) setImmediate(count);
    };
    setImmediate(count);
    const finding = Array.from({ length: 40 }, () =>
      found.find(record, { limit: 10, text: 'a' } as never).then(() => {
        answered += 1;
      }),
    );
    await Promise.all(finding);
    expect(Math.max(...inTurn)).toBeLessThanOrEqual(8);
    const longest = Math.max(...normalize.mock.contexts.map((text) => String(text).length));
    expect(longest).toBeLessThan(40);
    const whole = normalize.mock.contexts.filter((text) => String(text).startsWith('a\u0301'));
    expect(whole).toHaveLength(elements.length);
  } finally {
    normalize.mockRestore();
  }
});
