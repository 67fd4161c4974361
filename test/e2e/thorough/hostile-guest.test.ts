import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';
import { type OwnDesktop, openOwnDesktop, untilRunning } from '../../support/service/desktop.js';
import { outOfBand } from '../../support/service/out-of-band.js';
import { rested, vitals, watchMemory } from '../../support/service/vitals.js';

const GUEST_SERVERS = readFileSync(new URL('../../support/hostile/guest.py', import.meta.url));
/** Requests to screen and shell each; hostile/guest.py has seven and five kinds of answers. */
const ATTACKS = 9;
/** The process limit of a container, see promise 2. */
const MAX_PROCESSES = 2048;

let desktop: OwnDesktop;
let neighbour: string;
beforeAll(async () => {
  // The guest needs root to replace its shell server; a VM's user has it.
  desktop = await openOwnDesktop();
  const { json } = await desktop.service.http('POST', '/projects/e2e/computers', { name: 'other' });
  neighbour = json.id;
  await untilRunning(desktop.service, neighbour);
});
afterAll(() => desktop.close());

const shot = (id: string) => desktop.service.http('GET', `/computers/${id}/screenshot`);
const bash = (id: string, command: string, more: object = {}) =>
  desktop.service.http('POST', `/computers/${id}/bash`, { command, timeout: 30, ...more });

/**
 * Uses the neighbour until `work` has ended. On a busy host it may be slow, but every request must
 * succeed.
 */
async function whileUsingNeighbour<T>(work: Promise<T>): Promise<{ result: T; used: number }> {
  let done = false;
  const result = work.finally(() => {
    done = true;
  });
  result.catch(() => undefined);
  let used = 0;
  for (; !done || used === 0; used += 1) {
    await eventually(async () => (await shot(neighbour)).status === 200, 60_000);
    const well = async () => (await bash(neighbour, 'echo well')).json.stdout === 'well\n';
    await eventually(well, 60_000);
  }
  return { result: await result, used };
}

promise(
  20,
  'a fork bomb does not block other computers, and ends with its computer',
  async (report) => {
    const bomb = `import os, time
while True:
    try:
        if os.fork() == 0:
            os.execlp("sleep", "sleep", "600")
    except OSError:
        time.sleep(0.1)`;
    await bash(desktop.id, `exec python3 -c '${bomb}'`, { background: true });
    const { pids } = outOfBand(desktop.service);
    // A virtual machine is a single process on the host.
    const processes = await eventually(async () => {
      const count = (await pids(desktop.id)).length;
      return (inject('engine') === 'qemu' || count > MAX_PROCESSES / 4) && count;
    }, 120_000);
    const { used } = await whileUsingNeighbour(bash(desktop.id, 'true', { timeout: 5 }));
    expect((await pids(desktop.id)).length).toBeLessThanOrEqual(MAX_PROCESSES);
    expect((await shot(desktop.id)).status).toBe(200);
    const restarted = await desktop.service.http('POST', `/computers/${desktop.id}/restart`);
    expect(['starting', 'running']).toContain(restarted.json.status);
    await untilRunning(desktop.service, desktop.id);
    expect((await bash(desktop.id, 'echo again')).json).toMatchObject({ stdout: 'again\n' });
    report(`${processes} processes on the host; neighbour used ${used} times`);
  },
  900_000,
);

promise(20, 'a guest whose disk is full reports it and stays usable', async (report) => {
  // Without a quota a container's disk is the host's; its /tmp is always limited.
  const path = inject('engine') === 'docker' ? '/tmp' : '/home/user';
  const fill = `fallocate -l "$(df -B1 --output=avail ${path} | tail -1)" ${path}/full; echo x >${path}/more`;
  expect((await bash(desktop.id, fill)).json.stderr).toContain('No space left');
  const upload = desktop.computer.files.write(`${path}/upload`, Buffer.alloc(100_000));
  await expect(upload).rejects.toMatchObject({ message: expect.stringMatching(/full|space/) });
  expect((await shot(desktop.id)).status).toBe(200);
  expect((await bash(desktop.id, 'echo here')).json).toMatchObject({ stdout: 'here\n' });
  await bash(desktop.id, `rm -f ${path}/full ${path}/more`);
  await desktop.computer.files.write(`${path}/upload`, Buffer.alloc(100_000));
  report('an upload is refused, commands and pictures continue');
});

promise(
  20,
  'endless and malformed answers of screen and shell end the action, with flat memory',
  async (report) => {
    const { service, id, computer } = desktop;
    await computer.files.write('hostile.py', GUEST_SERVERS);
    const replace = [
      'printf "#!/bin/sh\\nexec python3 /home/user/hostile.py shell\\n" >sshd',
      'chmod 755 sshd && sudo cp sshd /usr/lib/vc/sshd',
    ];
    await desktop.run(replace.join(' && '));
    await bash(id, 'exec python3 ~/hostile.py screen', { background: true });
    await desktop.until('test -e /tmp/hostile-listens');
    // A restarted service opens new connections, to the hostile servers.
    await service.kill('SIGTERM');
    await service.start();
    await shot(neighbour);
    await bash(neighbour, 'true');
    const before = vitals(service.pid);
    const memory = watchMemory(service.pid);
    /** Not every answer fails: some servers start correctly, and lost connections are reopened. */
    const attack = async (work: () => ReturnType<typeof shot>) => {
      let errors = 0;
      for (let i = 0; i < ATTACKS; i++) {
        const { status, json } = await work();
        expect([200, 500], json.error).toContain(status);
        if (status === 500) errors += 1;
      }
      expect(errors).toBeGreaterThan(0);
      return errors;
    };
    const { result, used } = await whileUsingNeighbour(
      Promise.all([attack(() => shot(id)), attack(() => bash(id, 'true', { timeout: 1 }))]),
    );
    const growth = memory.stop() - before.mib;
    expect(growth).toBeLessThan(200);
    await rested(service.pid, before.descriptors + 5);
    expect((await service.http('DELETE', `/computers/${id}`)).status).toBe(200);
    await whileUsingNeighbour(Promise.resolve());
    report(`${result.join(' and ')} errors, +${growth} MiB; neighbour used ${used} times`);
  },
  300_000,
);
