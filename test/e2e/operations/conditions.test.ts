import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Conditions } from '../../../src/contract/actions/actions.js';
import { itUnless } from '../../support/run/needs.js';
import { type Desktop, openDesktop } from '../../support/service/desktop.js';

let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
});
afterAll(() => desktop.close());

/** An emulated machine may take minutes to start a program. */
const LONG = 300;
/** Long enough to look once. */
const SHORT = inject('engine') === 'qemu' ? 40 : 3;

/** Waits until so many programs look at conditions in the computer. */
const watchersBecome = (count: number) =>
  expect
    .poll(async () => (await desktop.run('pgrep -fc "[#] vc: wait" || true')).trim(), {
      timeout: 60_000,
    })
    .toBe(String(count));

const wait = (until: Conditions, timeout = LONG) => desktop.computer.wait({ until, timeout });

test('a wait ends when what it waits for is there, and when it is gone', async () => {
  const waiting = Promise.all([
    wait({ window: 'NOTE.txt' }),
    wait({ element: { role: 'menu', name: 'Document' } }),
    wait({ all: [{ file: 'note.txt', size_above: 3 }, { command: 'grep -q first ~/note.txt' }] }),
    wait({ any: [{ port: 8123 }, { file: '/never' }] }),
  ]);
  await desktop.run('sleep 1; echo first >~/note.txt');
  await desktop.run('setsid -f mousepad ~/note.txt >/dev/null 2>&1');
  await desktop.run(
    'cd /tmp && setsid -f python3 -m http.server 8123 >/dev/null 2>&1; pgrep -f "http.server 8123" >/tmp/server',
  );
  const [window, element, file, port] = await waiting;
  expect(window.met?.[0]?.seen).toContain('note.txt');
  expect(element.met?.[0]?.element?.box).toHaveLength(4);
  expect(file.met).toMatchObject([{ seen: '6 bytes' }, { seen: 'exit code 0' }]);
  expect(port.met).toMatchObject([{ condition: { port: 8123 } }]);

  const opening = await desktop.service.cli(['click', desktop.name, '-e', 'menu:Document']);
  expect(opening.code).toBe(0);
  await wait({ element: { name: 'Tab Size' } });
  await desktop.computer.key('Escape');
  const absent = await desktop.service.cli(['click', desktop.name, '-e', 'button:Absent']);
  expect(absent.stderr).toMatch(/^error: no element on the screen matches "button:Absent"/);

  const ends = Promise.all([
    wait({ window: 'note.txt', gone: true }),
    wait({ element: { role: 'menu', name: 'Document' }, gone: true }),
    wait({ port: 8123, gone: true }),
  ]);
  await desktop.run('kill "$(pgrep -x mousepad)"; kill $(cat /tmp/server)');
  for (const { met } of await ends) expect(met).toHaveLength(1);
});

test('a time-out says what was seen last, and nothing goes on in the computer', async () => {
  await expect(
    wait({ all: [{ file: '/etc/passwd' }, { file: 'absent' }, { command: 'exit 7' }] }, SHORT),
  ).rejects.toMatchObject({
    code: 'guest_timeout',
    message: expect.stringMatching(
      /^Not met within \d+ s: all\.1: file \(last seen: No such file or directory\); all\.2: command \(last seen: exit code 7\)\.$/,
    ),
  });
  await watchersBecome(0);
});

/** None of them is met. */
const UNMET: readonly Conditions[] = [
  { text: 'never' },
  { element: { name: 'never' } },
  { window: 'never' },
  { file: 'never' },
  { port: 9 },
  { command: 'sleep 5; false' },
  { url: '/never' },
  { file: '/etc/passwd', gone: true },
  { any: [{ window: 'never' }, { text: 'never' }] },
  { all: [{ file: '/etc/passwd' }, { element: { name: 'never' } }] },
];
/** Those that a program in the computer looks at. */
const IN_GUEST = UNMET.length - 2;

test('each condition can time out, and be cancelled', async () => {
  const late = { code: 'guest_timeout', message: expect.stringMatching(/^Not met within \d+ s: /) };
  await Promise.all(
    UNMET.map((until) =>
      expect(wait(until, SHORT), JSON.stringify(until)).rejects.toMatchObject(late),
    ),
  );
  await watchersBecome(0);

  const controller = new AbortController();
  const { signal } = controller;
  const aborted = Promise.allSettled(
    UNMET.map((until) => desktop.computer.wait({ until, timeout: LONG, signal })),
  );
  await watchersBecome(IN_GUEST);
  controller.abort();
  for (const { status } of await aborted) expect(status).toBe('rejected');
  await watchersBecome(0);
});

test('a wait for the screen ends when it changes or is still, in time, and when it is cancelled', async () => {
  const { computer } = desktop;
  const changed = computer.wait({ until: 'change', timeout: LONG });
  await desktop.run(
    "setsid -f xterm -T Moving -e 'while :; do echo $RANDOM; read -t 0.02; done' >/dev/null 2>&1",
  );
  expect(await changed).toMatchObject({ changed: true });
  await wait({ window: 'Moving' });
  const keepsChanging = {
    code: 'guest_timeout',
    message: 'The screen kept changing for 2 s.',
  };
  const stable = () => computer.wait({ until: 'stable', timeout: 2 });
  // An emulated machine may take seconds from a window to its first line.
  if (inject('engine') === 'qemu') {
    await expect
      .poll(() => stable().catch((error) => error), { timeout: 120_000 })
      .toMatchObject(keepsChanging);
  } else await expect(stable()).rejects.toMatchObject(keepsChanging);
  const controller = new AbortController();
  const { signal } = controller;
  const unstable = computer.wait({ until: 'stable', timeout: LONG, signal });
  setTimeout(() => controller.abort(), 300);
  await expect(unstable).rejects.toThrow();

  await desktop.run('pkill -x xterm');
  expect(await computer.wait({ until: 'stable', timeout: LONG })).not.toHaveProperty('changed');
  const region: [number, number, number, number] = [600, 300, 100, 100];
  const still = { until: 'change', region } as const;
  // An emulated machine may pause while it draws what the window hid.
  if (inject('engine') === 'qemu') {
    await expect
      .poll(() => computer.wait({ ...still, timeout: 5 }), { timeout: 120_000 })
      .toMatchObject({ changed: false });
  }
  expect(await computer.wait({ ...still, timeout: 1 })).toMatchObject({ changed: false });
  const stopped = new AbortController();
  const unchanged = computer.wait({ ...still, timeout: LONG, signal: stopped.signal });
  setTimeout(() => stopped.abort(), 500);
  await expect(unchanged).rejects.toThrow();
});

itUnless(
  inject('engine') === 'qemu'
    ? 'Chromium takes minutes to start in an emulated machine'
    : undefined,
)('a page of the browser is seen by its address', async () => {
  await desktop.computer.browser();
  await desktop.run('echo hello >/tmp/Welcome.html');
  const waiting = wait({ url: '/welcome.html' }, 60);
  await desktop.run(
    'curl -sf -X PUT "http://127.0.0.1:$(head -n 1 ~/.config/vc-browser/DevToolsActivePort)/json/new?file:///tmp/Welcome.html"',
  );
  expect((await waiting).met?.[0]?.seen).toBe('file:///tmp/Welcome.html');
});
