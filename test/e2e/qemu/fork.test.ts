// @module-tag slow
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { thorough } from '../../support/run/tiers.js';
import { type OwnDesktop, openOwnDesktop, untilRunning } from '../../support/service/desktop.js';
import { outOfBand } from '../../support/service/out-of-band.js';

let desktop: OwnDesktop;
beforeAll(async () => {
  desktop = await openOwnDesktop(['--max-running', '3']);
});
afterAll(() => desktop.close());

const http = (method: string, path: string, body?: object) =>
  desktop.service.http(method, path, body);
const fork = async (name: string, id = desktop.id) => {
  const { json } = await http('POST', `/computers/${id}/fork`, { name });
  if (json.status === 'starting') await untilRunning(desktop.service, json.id);
  return (await http('GET', `/computers/${json.id}`)).json;
};
const copiesNamed = async (name: string): Promise<{ id: string; status: string }[]> =>
  (await http('GET', '/projects/e2e')).json.computers.filter(
    (computer: { name: string }) => computer.name === name,
  );
const remove = (id: string) => http('DELETE', `/computers/${id}`);
const bash = async (id: string, command: string) => {
  const { json } = await http('POST', `/computers/${id}/bash`, { command });
  if (json.exit_code !== 0) throw new Error(`${command}: ${JSON.stringify(json)}`);
  return (json.stdout as string).trim();
};

describe('a fork of a running computer', () => {
  it('continues from the same memory, independent of its source', async () => {
    await desktop.run('echo disk > ~/kept; echo memory > /dev/shm/kept');
    await desktop.run('xterm -T copied -e sleep 4321 >/dev/null 2>&1 &');
    await desktop.until('xdotool search --onlyvisible --name "^copied$" >/dev/null');
    const pid = await desktop.run('pgrep -f "^sleep 4321"');
    const copy = await fork('copy');
    expect(copy).toMatchObject({ name: 'copy', status: 'running', engine: 'qemu' });
    expect(await bash(copy.id, 'cat ~/kept /dev/shm/kept')).toBe('disk\nmemory');
    expect(await bash(copy.id, 'pgrep -f "^sleep 4321"')).toBe(pid.trim());
    expect(await bash(copy.id, 'xdotool search --name "^copied$" | wc -l')).toBe('1');
    expect((await http('GET', `/computers/${copy.id}/screenshot`)).json.success).toBe(true);

    await bash(copy.id, 'echo other > ~/kept; pkill -f "^sleep 4321"');
    expect(await desktop.run('cat ~/kept; pgrep -f "^sleep 4321"')).toBe(`disk\n${pid}`);
    await remove(copy.id);
    expect(await desktop.run('cat ~/kept')).toBe('disk\n');
  });

  thorough('has the memory of one moment while a program writes all the time', async () => {
    const program = `
words = [0] * (1 << 20)
passes = 0
while True:
    passes += 1
    for at in range(0, len(words), 512): words[at] = passes
    if any(words[at] != passes for at in range(0, len(words), 512)): break
    open('/dev/shm/passes', 'a').write('.')
`;
    await desktop.run(`cat >~/writes.py <<'END'\n${program}END`);
    await desktop.run('python3 ~/writes.py >/dev/null 2>&1 &');
    await desktop.until('test -s /dev/shm/passes');
    const copy = await fork('written');
    for (const id of [desktop.id, copy.id]) {
      const before = Number(await bash(id, 'wc -c </dev/shm/passes'));
      const after = Number(await bash(id, 'sleep 2; wc -c </dev/shm/passes'));
      expect(after).toBeGreaterThan(before);
    }
    await remove(copy.id);
    await desktop.run('pkill -f writes.py');
  });

  thorough('has its own identity and random numbers', async () => {
    const copies = [await fork('twin-1'), await fork('twin-2')];
    const ids = [desktop.id, ...copies.map(({ id }) => id)];
    const facts = async (command: string) =>
      new Set(await Promise.all(ids.map((id) => bash(id, command))));
    expect((await facts('hostname')).size).toBe(3);
    expect((await facts('cat /etc/machine-id')).size).toBe(3);
    expect((await facts('cat /sys/class/net/e*/address')).size).toBe(3);
    expect((await facts('head -c 32 /dev/urandom | base64')).size).toBe(3);
    const clocks = await Promise.all(ids.map((id) => bash(id, 'date +%s')));
    for (const clock of clocks) expect(Math.abs(Number(clock) - Date.now() / 1000)).toBeLessThan(5);
    for (const { id } of copies) await remove(id);
  });

  thorough('can be forked again and works without its source', async () => {
    const first = await fork('first');
    await bash(first.id, 'echo first > /dev/shm/generation');
    const second = await fork('second', first.id);
    await remove(first.id);
    expect(await bash(second.id, 'cat /dev/shm/generation')).toBe('first');
    await http('POST', `/computers/${second.id}/restart`);
    await untilRunning(desktop.service, second.id);
    expect(await bash(second.id, 'cat ~/kept')).toBe('disk');
    await remove(second.id);
  });
});

thorough(
  'a fork of a stopped computer is stopped, ignores the limit, and starts from the same disk',
  async () => {
    await http('POST', `/computers/${desktop.id}/stop`);
    const copy = await fork('still');
    expect(copy.status).toBe('stopped');
    await http('POST', `/computers/${desktop.id}/start`);
    await http('POST', `/computers/${copy.id}/start`);
    await untilRunning(desktop.service, copy.id);
    await untilRunning(desktop.service, desktop.id);
    expect(await bash(copy.id, 'cat ~/kept')).toBe('disk');
    await remove(copy.id);
  },
);

describe('the service killed with SIGKILL during a fork', () => {
  for (const delay of [10, 60, 150, 400, 900]) {
    thorough(`after ${delay} ms leaves the copy complete or gone`, async () => {
      const name = `half-${delay}`;
      // Clean up after an earlier attempt.
      for (const { id } of await copiesNamed(name)) await remove(id);
      const copying = fork(name).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, delay));
      await desktop.service.kill('SIGKILL');
      await copying;
      await desktop.service.start();
      const settled = await eventually(async () => {
        const copies = await copiesNamed(name);
        return copies.every(({ status }) => status === 'running') && copies;
      }, 120_000).catch(async (cause) => {
        const log = desktop.service.log().slice(-4_000);
        throw new Error(`${JSON.stringify(await copiesNamed(name))}\n${log}`, { cause });
      });
      expect((await http('GET', `/computers/${desktop.id}`)).json.status).toBe('running');
      expect(await desktop.run('cat ~/kept')).toBe('disk\n');
      for (const { id } of settled) {
        expect(await bash(id, 'cat ~/kept')).toBe('disk');
        await remove(id);
      }
      await eventually(
        async () => (await outOfBand(desktop.service).leftovers()).machines.length === 1,
      );
      // The reconciler removes what the copies started from.
      const saved = join(desktop.service.directory, 'state', 'qemu', 'saved');
      await eventually(async () => (await readdir(saved)).length === 0, 60_000);
    });
  }

  thorough('the guest is resumed even if its QEMU answers the next service late', async () => {
    const copying = fork('late').catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 150));
    await desktop.service.kill('SIGKILL');
    await copying;
    const thaw = await outOfBand(desktop.service).freeze(desktop.id);
    try {
      await desktop.service.start();
      // By now the service has sent one command to QEMU, without an answer.
      await eventually(async () => (await http('GET', '/projects')).status === 200);
      for (const { id } of await copiesNamed('late')) await remove(id);
    } finally {
      thaw();
    }
    expect(await desktop.run('echo continued')).toBe('continued\n');
    await eventually(
      async () => (await outOfBand(desktop.service).leftovers()).machines.length === 1,
    );
  });
});
