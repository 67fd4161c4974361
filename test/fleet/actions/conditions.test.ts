// @module-tag slow
import { PassThrough, Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Element, Elements } from '../../../src/contract/actions/actions.js';
import { untilMet } from '../../../src/fleet/actions/conditions.js';
import type { Session } from '../../../src/fleet/sessions/session.js';
import { sleep } from '../../../src/lib/async/sleep.js';
import type { Screen } from '../../../src/screen/types.js';
import type { Shell } from '../../../src/shell/types.js';

const button: Element = {
  id: 'a-1',
  role: 'button',
  name: 'OK',
  states: [],
  box: [1, 2, 3, 4],
  actions: [],
};

interface Guest {
  /** What the program in the guest prints. */
  readonly lines?: AsyncIterable<string> | Iterable<string>;
  readonly lists?: readonly Elements[];
  /** The lines of text on the screen, one screen after the other. */
  readonly texts?: readonly (readonly string[])[];
}

/** A computer with a program that prints `lines`, and a screen that always changes. */
function computer({ lines = [], lists = [], texts = [] }: Guest) {
  const listed = { count: 0, users: 0 };
  const screen = {
    refresh: async () => listed.count,
    settle: async () => true,
    waitChange: async ({ signal }: { signal: AbortSignal }) => {
      await sleep(10, signal);
      return true;
    },
  } as unknown as Screen;
  const shell = {
    spawn: async () => ({
      stdin: new PassThrough().resume(),
      stdout: Readable.from(lines).map((line: string) => Buffer.from(line)),
      stderr: Readable.from([]),
      exit: Promise.resolve({ code: 1, signal: null }),
    }),
  } as unknown as Shell;
  const session = {
    lastUsed: 0,
    screen: {
      use: async <T>(work: (screen: Screen) => Promise<T>) => {
        listed.users += 1;
        return work(screen).finally(() => {
          listed.users -= 1;
        });
      },
    },
    shell: { use: <T>(work: (shell: Shell) => Promise<T>) => work(shell) },
  } as unknown as Session;
  const none: Elements = { elements: [], truncated: false };
  const elements = {
    all: async () => lists[listed.count++] ?? lists.at(-1) ?? none,
    text: async () => (texts[listed.count++] ?? texts.at(-1) ?? []).map(line),
  };
  return { place: { session, elements, seconds: 5 }, listed };
}

/** Words of 10 pixels, each in a place of 20. */
function line(text: string, row: number) {
  return text
    .split(' ')
    .map((word, at) => ({ text: word, x: at * 20, y: row * 20, width: 10, height: 10 }));
}

async function* staying(...lines: string[]) {
  yield* lines;
  await setTimeout(20_000, undefined, { ref: false });
}

const nothing: Elements = { elements: [], truncated: false };
const withButton: Elements = { elements: [button], truncated: false };

it('resolves to the conditions that hold, with their elements', async () => {
  const { place } = computer({
    lines: staying('[[true, "listening: 80"]]\n'),
    lists: [nothing, withButton],
  });
  const all = [{ port: 80 }, { element: { name: 'ok' } }];
  expect(await untilMet(place, { all })).toEqual([
    { condition: all[0], seen: 'listening: 80' },
    { condition: all[1], seen: 'button "OK"', element: button },
  ]);
  const any = [{ port: 81 }, { element: { role: 'button' } }];
  const other = computer({ lines: staying('[[false, "no port"]]\n'), lists: [withButton] });
  expect(await untilMet(other.place, { any })).toMatchObject([{ condition: any[1] }]);
});

it('does not take for gone what is not known', async () => {
  const window = { window: 'Editor', gone: true };
  const unknown = computer({ lines: staying('[[null, "no display"]]\n') });
  await expect(untilMet({ ...unknown.place, seconds: 0.3 }, window)).rejects.toMatchObject({
    code: 'guest_timeout',
    message: 'Not met within 0.3 s: window gone (last seen: no display).',
  });
  const cut = computer({ lists: [{ elements: [], truncated: true }] });
  await expect(
    untilMet({ ...cut.place, seconds: 0.3 }, { element: { name: 'OK' }, gone: true }),
  ).rejects.toMatchObject({ code: 'guest_timeout' });
});

it('repeats no command in an error', async () => {
  const { place } = computer({ lines: staying('[[false, "exit code 1"]]\n') });
  const error = await untilMet(
    { ...place, seconds: 0.3 },
    { all: [{ command: 'use sk-SECRET' }] },
  ).catch(String);
  expect(error).toContain('all.0: command (last seen: exit code 1)');
  expect(error).not.toContain('SECRET');
});

it('ends what still watches when another fails', async () => {
  const { place, listed } = computer({ lines: ['something else\n'] });
  const any = [{ port: 80 }, { element: { name: 'OK' } }];
  await expect(untilMet(place, { any })).rejects.toMatchObject({ code: 'guest_failed' });
  await expect.poll(() => listed.users).toBe(0);
});

it('ends with its signal', async () => {
  const { place, listed } = computer({ lists: [nothing] });
  const leaving = new AbortController();
  const waiting = untilMet(place, { element: { name: 'OK' } }, leaving.signal);
  await expect.poll(() => listed.count).toBeGreaterThan(1);
  leaving.abort(new Error('the client left'));
  await expect(waiting).rejects.toThrow('the client left');
  await expect.poll(() => listed.users).toBe(0);
});

it('reads a text on the screen until it is there, in its region, or gone', async () => {
  const { place } = computer({ texts: [['Saving file'], ['file', 'was SAVED now']] });
  expect(await untilMet(place, { text: 'was saved' })).toEqual([
    {
      condition: { text: 'was saved' },
      seen: 'was SAVED now',
      element: expect.objectContaining({ source: 'text', name: 'was SAVED', box: [0, 20, 30, 10] }),
    },
  ]);
  const gone = computer({ texts: [['Saving'], ['done']] });
  expect(await untilMet(gone.place, { text: 'saving', gone: true })).toMatchObject([
    { seen: 'other text, "done"' },
  ]);
  const elsewhere = computer({ texts: [['Saved file']] });
  const region: [number, number, number, number] = [20, 0, 10, 10];
  await expect(
    untilMet({ ...elsewhere.place, seconds: 0.3 }, { text: 'Saved', region }),
  ).rejects.toMatchObject({
    code: 'guest_timeout',
    message: 'Not met within 0.3 s: text (last seen: other text, "file").',
  });
  const empty = computer({ texts: [] });
  await expect(untilMet({ ...empty.place, seconds: 0.3 }, { text: '(a+)+$' })).rejects.toThrow(
    'text (last seen: no text)',
  );
});
