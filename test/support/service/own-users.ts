import { readFile } from 'node:fs/promises';
import { execa } from 'execa';
import { afterAll, beforeAll, expect } from 'vitest';
import { promise } from '../run/promise.js';
import { type OwnDesktop, openOwnDesktop, untilRunning } from './desktop.js';

const notRoot = process.getuid?.() === 0 ? undefined : 'only root can act as another user';

/** Uses up the kernel's per-user resources, and holds them for a minute. */
const GREEDY = `
import ctypes, os, sys, time
libc = ctypes.CDLL(None)
taken = 0
while taken < 4096 and libc.inotify_init1(0) >= 0:
    taken += 1
processes = 0
try:
    while processes < 500:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        processes += 1
except OSError:
    pass
timers = 0
timer = ctypes.c_void_p()
while timers < 200000 and libc.timer_create(1, None, ctypes.byref(timer)) == 0:
    timers += 1
keys = 0
while keys < 200 and libc.syscall(248, b'user', b'vc%d' % keys, b'x', 1, -4) >= 0:
    keys += 1
print(taken, processes, timers, keys, flush=True)
time.sleep(60)
`;

/** The per-user resources that a neighbour needs. */
const MODEST = `
import ctypes, sys
libc = ctypes.CDLL(None)
timer = ctypes.c_void_p()
print(sum(libc.inotify_init1(0) >= 0 for _ in range(32)),
      sum(libc.timer_create(1, None, ctypes.byref(timer)) == 0 for _ in range(32)))
`;

/**
 * The tests of promise 26 on an engine; `pidOf` returns the host's id of one of a machine's processes.
 */
export function testOwnUsers(pidOf: (desktop: OwnDesktop, id: string) => Promise<number>): void {
  let desktop: OwnDesktop;
  let neighbour: string;
  beforeAll(async () => {
    desktop = await openOwnDesktop();
    const created = await desktop.service.http('POST', '/projects/e2e/computers', {
      name: 'neighbour',
    });
    neighbour = created.json.id;
    await untilRunning(desktop.service, neighbour);
  });
  afterAll(() => desktop?.close());

  const run = async (id: string, command: string) => {
    const { json } = await desktop.service.http('POST', `/computers/${id}/bash`, { command });
    return `${json.stdout}${json.stderr}`;
  };
  /** Effective user and group of a machine's process on the host. */
  const userOf = async (id: string) => {
    const status = await readFile(`/proc/${await pidOf(desktop, id)}/status`, 'utf8');
    const field = (name: string) =>
      Number(new RegExp(`^${name}:\\s+\\d+\\s+(\\d+)`, 'm').exec(status)?.[1]);
    return { uid: field('Uid'), gid: field('Gid') };
  };

  promise.unless(notRoot)(26, 'each machine has its own user on the host', async (report) => {
    const users = [await userOf(desktop.id), await userOf(neighbour)];
    const ids = users.map(({ uid }) => uid);
    expect(new Set(ids).size).toBe(2);
    const { stdout: all } = await execa('getent', ['passwd']);
    for (const { uid, gid } of users) {
      expect(uid).toBeGreaterThan(65_535);
      expect(gid).toBe(uid);
      expect(all).not.toContain(`:${uid}:`);
    }
    report(`uids ${ids.join(' and ')}`);
  });

  promise(26, 'a guest cannot use up the per-user resources of its neighbour', async (report) => {
    const greedy = { command: `python3 -c "${GREEDY}" > /tmp/taken`, background: true };
    await desktop.service.http('POST', `/computers/${desktop.id}/bash`, greedy);
    await desktop.until('test -s /tmp/taken');
    const taken = await desktop.run('cat /tmp/taken');
    const [inotify, processes, timers, keys] = taken.trim().split(' ');
    expect(Number(inotify)).toBeGreaterThanOrEqual(100);
    expect((await run(neighbour, `python3 -c "${MODEST}"`)).trim()).toBe('32 32');
    const tail =
      'echo one > /tmp/log; timeout 3 tail -f /tmp/log & sleep 1; echo two >> /tmp/log; wait';
    expect(await run(neighbour, tail)).toBe('one\ntwo\n');
    report(
      `${inotify} inotify instances, ${processes} processes, ${timers} timers, ${keys} keys taken`,
    );
  });

  promise.unless(notRoot)(
    26,
    "no other user of the host can read or signal a machine's processes",
    async (report) => {
      const pid = await pidOf(desktop, desktop.id);
      const attempts = [
        `ls /proc/${pid}/root/`,
        `ls /proc/${pid}/cwd/`,
        `grep -c . /proc/${pid}/environ`,
        `grep -c . /proc/${pid}/maps`,
        `kill -0 ${pid}`,
      ];
      const users = [1000, 65_534, (await userOf(neighbour)).uid];
      for (const user of users) {
        const asUser = ['--reuid', `${user}`, '--regid', `${user}`, '--clear-groups'];
        for (const attempt of attempts) {
          const { exitCode } = await execa('setpriv', [...asUser, 'sh', '-c', attempt], {
            reject: false,
          });
          expect(exitCode, `uid ${user}: ${attempt}`).not.toBe(0);
        }
      }
      for (const attempt of attempts) await execa('sh', ['-c', attempt]);
      report(`${attempts.length} ways, as uid ${users.join(', ')}`);
    },
  );
}
