// @module-tag slow
import { PassThrough, Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { Session } from '../../../src/fleet/sessions/session.js';
import { readSound } from '../../../src/fleet/sound/read-sound.js';
import type { Shell } from '../../../src/shell/types.js';

/** A session in which the reader prints `chunks` and ends. */
function session(chunks: Buffer[], { code = 0, error = '' } = {}) {
  const closings = new Set<() => void>();
  let readers = 0;
  const spawn: Shell['spawn'] = async () => {
    readers += 1;
    return {
      stdin: new PassThrough(),
      stdout: Readable.from(chunks),
      stderr: Readable.from(error === '' ? [] : [Buffer.from(error)]),
      exit: Promise.resolve({ code, signal: null }),
      end: async () => undefined,
      resize: () => undefined,
      kill: async () => undefined,
    };
  };
  const opened = {
    shell: { use: (work: (shell: Pick<Shell, 'spawn'>) => Promise<void>) => work({ spawn }) },
    onClose: (end: () => void) => {
      closings.add(end);
      return () => closings.delete(end);
    },
  } as unknown as Session;
  return {
    opened,
    readers: () => readers,
    close: () => {
      for (const end of closings) end();
    },
    listening: () => closings.size,
  };
}

const forEver = new AbortController().signal;

it('says what to do if the computer has no sound', async () => {
  const { opened, listening } = session([], { code: 127 });
  await expect(readSound(opened, () => undefined, forEver)).rejects.toMatchObject({
    code: 'unsupported',
    remedy: expect.stringContaining('vc image build'),
  });
  expect(listening()).toBe(0);
});

it('says why the reader has ended', async () => {
  const { opened } = session([], { code: 1, error: 'Connection refused\n' });
  await expect(readSound(opened, () => undefined, forEver)).rejects.toMatchObject({
    code: 'guest_failed',
    message: expect.stringContaining('Connection refused'),
  });
});

it('gives whole samples only, and starts a reader that has ended again', async () => {
  const chunks = [Buffer.from('abcde'), Buffer.from('fg'), Buffer.from('hijkl')];
  const computer = session(chunks);
  const heard: string[] = [];
  const left = new AbortController();
  const reading = readSound(
    computer.opened,
    (chunk) => {
      heard.push(chunk.toString());
      if (heard.length === 3) left.abort(new Error('left'));
    },
    left.signal,
  );
  await expect(reading).rejects.toThrow('left');
  expect(heard).toEqual(['abcd', 'efghijkl', 'abcd']);
  expect(computer.readers()).toBe(2);
});

it('ends with the session', async () => {
  const computer = session([Buffer.alloc(4)]);
  const reading = readSound(computer.opened, () => computer.close(), forEver);
  await expect(reading).rejects.toMatchObject({ code: 'not_running' });
});

it('takes no more from a computer than sound has', async () => {
  const second = Buffer.alloc(192_000);
  const computer = session(Array.from({ length: 1000 }, () => second));
  const heard: Buffer[] = [];
  const left = new AbortController();
  setTimeout(() => left.abort(new Error('left')), 300);
  const reading = readSound(computer.opened, (chunk) => void heard.push(chunk), left.signal);
  await expect(reading).rejects.toThrow('left');
  expect(heard.length).toBeLessThan(10);
});
