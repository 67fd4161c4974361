import { afterEach, expect, it, vi } from 'vitest';
import type { PreparedInput } from '../../../src/fleet/actions/input-actions.js';
import { Elements } from '../../../src/fleet/elements/elements.js';
import type { ComputerRecord } from '../../../src/fleet/store/records.js';

const size = { width: 64, height: 48 };
const record = {} as ComputerRecord;

/** A computer with a button, or Windows programs, and something that may be text on its screen. */
function open({ programs = 'x11', hasInk = false } = {}) {
  const stdout = JSON.stringify({
    elements: [['abcdef01-1.1-1', 43, 1, 'Save', null, [0, 0, 9, 9], []]],
    truncated: false,
  });
  const shell = { run: async () => ({ stdout, exitCode: 0, timedOut: false }) };
  const pixels = Buffer.alloc(size.width * size.height * 4, 255);
  if (hasInk) for (let y = 10; y < 20; y++) pixels.fill(0, (y * 64 + 20) * 4, (y * 64 + 23) * 4);
  const screen = { size, refresh: vi.fn(async () => 1), pixels: vi.fn(async () => [pixels]) };
  const session = {
    describe: async () => ({ isolation: 'container', programs }),
    screen: { use: async <T>(work: (opened: object) => T) => work(screen) },
    shell: { use: async <T>(work: (opened: object) => T) => work(shell) },
  };
  const found = new Elements({ session: async () => session } as never);
  const find = (text: string, source?: 'elements' | 'text') =>
    found.find(record, { text, limit: 10, ...(source && { source }) });
  return { found, session, screen, find };
}

afterEach(() => vi.unstubAllEnvs());

it('looks in the elements first, and reads the picture only for what they have not', async () => {
  const { find, screen } = open();
  const { elements } = await find('save');
  expect(elements).toMatchObject([{ source: 'elements', name: 'Save' }]);
  expect(screen.pixels).not.toHaveBeenCalled();
  expect((await find('Sign in', 'elements')).elements).toEqual([]);
  expect(screen.pixels).not.toHaveBeenCalled();
  expect((await find('Sign in')).elements).toEqual([]);
  expect((await find('save', 'text')).elements).toEqual([]);
  // The same picture is read once.
  expect(screen.pixels).toHaveBeenCalledTimes(1);
});

it('reads the picture where programs have no elements', async () => {
  const { find } = open({ programs: 'wine' });
  expect((await find('Sign in')).elements).toEqual([]);
  await expect(find('Sign in', 'elements')).rejects.toMatchObject({ code: 'unsupported' });
});

it('says without tesseract what to install, and still finds elements', async () => {
  vi.stubEnv('PATH', '/nonexistent');
  const { find } = open({ hasInk: true });
  expect((await find('save')).elements).toHaveLength(1);
  await expect(find('Sign in')).rejects.toMatchObject({
    code: 'unsupported',
    remedy: expect.stringContaining('apt-get install tesseract-ocr'),
  });
});

it('clicks in the middle of a text', async () => {
  const { found, session } = open();
  const perform = vi.fn(async () => undefined);
  const input = { element: 'text-10-20-31-8', perform } as unknown as PreparedInput;
  const located = await found.locate(session as never, record, input);
  expect(located.at).toEqual({ x: 25, y: 24 });
});
