import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';
import { type OwnDesktop, openOwnDesktop, untilRunning } from '../../support/service/desktop.js';
import { outOfBand } from '../../support/service/out-of-band.js';
import { rested, vitals, watchMemory } from '../../support/service/vitals.js';

const SERVERS = readFileSync(new URL('../../support/hostile/guest.py', import.meta.url));
/** Requests to the screen, and as many to the shell; hostile-guest.py knows seven and five kinds. */
const ATTACKS = 9;
/** What the container of a computer may hold at most, see the hardening in promises 2. */
const MOST_PROCESSES = 2048;

let desktop: OwnDesktop;
let neighbour: string;
beforeAll(async () => {
  // Root in the computer is what lets it put another shell server in place; a VM's user is.
  desktop = await openOwnDesktop(inject('engine') === 'docker' ? ['--allow-sudo'] : []);
  const { json } = await desktop.service.http('POST', '/projects/e2e/computers', { name: 'other' });
  neighbour = json.id;
  await untilRunning(desktop.service, neighbour);
});
afterAll(() => desktop.close());

const shot = (id: string) => desktop.service.http('GET', `/computers/${id}/screenshot`);
const bash = (id: string, command: string, more: object = {}) =>
  desktop.service.http('POST', `/computers/${id}/bash`, { command, timeout: 30, ...more });

/**
 * The neighbour is used until `work` has ended. A busy host may make it slow, as any program of the
 * guest's may; what it is asked for has to come all the same.
 */
async function beside<T>(work: Promise<T>): Promise<{ result: T; used: number }> {
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
  'a guest that starts processes without end holds up nobody else, and ends with its computer',
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
    // In a virtual machine there is no more of it on the host than one process.
    const most = await eventually(async () => {
      const count = (await pids(desktop.id)).length;
      return (inject('engine') === 'qemu' || count > MOST_PROCESSES / 4) && count;
    }, 120_000);
    const { used } = await beside(bash(desktop.id, 'true', { timeout: 5 }));
    expect((await pids(desktop.id)).length).toBeLessThanOrEqual(MOST_PROCESSES);
    expect((await shot(desktop.id)).status).toBe(200);
    const restarted = await desktop.service.http('POST', `/computers/${desktop.id}/restart`);
    expect(['starting', 'running']).toContain(restarted.json.status);
    await untilRunning(desktop.service, desktop.id);
    expect((await bash(desktop.id, 'echo again')).json).toMatchObject({ stdout: 'again\n' });
    report(`${most} processes on the host; neighbour used ${used} times`);
  },
  900_000,
);

promise(20, 'a guest whose disk is full reports it and stays usable', async (report) => {
  // A container's own disk is the host's where the host sets no quota: its /tmp is what is bounded.
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
    await computer.files.write('hostile.py', SERVERS);
    const replace = [
      'printf "#!/bin/sh\\nexec python3 /home/user/hostile.py shell\\n" >sshd',
      'chmod 755 sshd && sudo cp sshd /usr/lib/vc/sshd',
    ];
    await desktop.run(replace.join(' && '));
    await bash(id, 'exec python3 ~/hostile.py screen', { background: true });
    await desktop.until('test -e /tmp/hostile-listens');
    // The connections that there were are forgotten: from now on it is the guest's servers.
    await service.kill('SIGTERM');
    await service.start();
    await shot(neighbour);
    await bash(neighbour, 'true');
    const before = vitals(service.pid);
    const memory = watchMemory(service.pid);
    /** Some of the servers show a right picture for a while, and one that hangs up is dialled again. */
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
    const { result, used } = await beside(
      Promise.all([attack(() => shot(id)), attack(() => bash(id, 'true', { timeout: 1 }))]),
    );
    const grown = memory.stop() - before.mib;
    expect(grown).toBeLessThan(200);
    await rested(service.pid, before.descriptors + 5);
    expect((await service.http('DELETE', `/computers/${id}`)).status).toBe(200);
    await beside(Promise.resolve());
    report(`${result.join(' and ')} errors, +${grown} MiB; neighbour used ${used} times`);
  },
  300_000,
);
