import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, eventually, openBench, untilRunning } from '../../support/e2e.js';
import { behind } from '../../support/machines.js';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench(['--max-running', '3']);
});
afterAll(() => bench.close());

const http = (method: string, path: string, body?: object) =>
  bench.service.http(method, path, body);
const fork = async (name: string, id = bench.id) =>
  (await http('POST', `/computers/${id}/fork`, { name })).json;
const remove = (id: string) => http('DELETE', `/computers/${id}`);
const bash = async (id: string, command: string) => {
  const { json } = await http('POST', `/computers/${id}/bash`, { command });
  if (json.exit_code !== 0) throw new Error(`${command}: ${JSON.stringify(json)}`);
  return (json.stdout as string).trim();
};

describe('a copy of a running computer', () => {
  it('goes on where the original was, and apart from it', async () => {
    await bench.run('echo disk > ~/kept; echo memory > /dev/shm/kept');
    await bench.run('xterm -T copied -e sleep 4321 >/dev/null 2>&1 &');
    await bench.until('xdotool search --onlyvisible --name "^copied$" >/dev/null');
    const pid = await bench.run('pgrep -f "^sleep 4321"');
    const copy = await fork('copy');
    expect(copy).toMatchObject({ name: 'copy', status: 'running', engine: 'qemu' });
    expect(await bash(copy.id, 'cat ~/kept /dev/shm/kept')).toBe('disk\nmemory');
    expect(await bash(copy.id, 'pgrep -f "^sleep 4321"')).toBe(pid.trim());
    expect(await bash(copy.id, 'xdotool search --name "^copied$" | wc -l')).toBe('1');
    expect((await http('GET', `/computers/${copy.id}/screenshot`)).json.success).toBe(true);

    await bash(copy.id, 'echo other > ~/kept; pkill -f "^sleep 4321"');
    expect(await bench.run('cat ~/kept; pgrep -f "^sleep 4321"')).toBe(`disk\n${pid}`);
    await remove(copy.id);
    expect(await bench.run('cat ~/kept')).toBe('disk\n');
  });

  it('is another machine: its identity and its random numbers are its own', async () => {
    const copies = [await fork('twin-1'), await fork('twin-2')];
    const ids = [bench.id, ...copies.map(({ id }) => id)];
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

  it('can be copied again, and outlives its original', async () => {
    const first = await fork('first');
    await bash(first.id, 'echo first > /dev/shm/generation');
    const second = await fork('second', first.id);
    await remove(first.id);
    expect(await bash(second.id, 'cat /dev/shm/generation')).toBe('first');
    await http('POST', `/computers/${second.id}/restart`);
    await untilRunning(bench.service, second.id);
    expect(await bash(second.id, 'cat ~/kept')).toBe('disk');
    await remove(second.id);
  });
});

describe('a copy of a stopped computer', () => {
  it('is stopped, beyond the limit too, and starts from the same disk', async () => {
    await http('POST', `/computers/${bench.id}/stop`);
    const copy = await fork('still');
    expect(copy.status).toBe('stopped');
    await http('POST', `/computers/${bench.id}/start`);
    await http('POST', `/computers/${copy.id}/start`);
    await untilRunning(bench.service, copy.id);
    await untilRunning(bench.service, bench.id);
    expect(await bash(copy.id, 'cat ~/kept')).toBe('disk');
    await remove(copy.id);
  });
});

describe('the service killed with SIGKILL in the middle of a copy', () => {
  it.each([10, 60, 150, 400, 900])('after %i ms leaves it whole or gone', async (delay) => {
    const name = `half-${delay}`;
    const copying = fork(name).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, delay));
    await bench.service.kill('SIGKILL');
    await copying;
    await bench.service.start();
    const settled = await eventually(async () => {
      const { json } = await http('GET', '/projects/e2e');
      const copies = json.computers.filter((c: { name: string }) => c.name === name);
      return copies.every((c: { status: string }) => c.status === 'running') && copies;
    }, 120_000);
    expect((await http('GET', `/computers/${bench.id}`)).json.status).toBe('running');
    expect(await bench.run('cat ~/kept')).toBe('disk\n');
    for (const { id } of settled) {
      expect(await bash(id, 'cat ~/kept')).toBe('disk');
      await remove(id);
    }
    await eventually(async () => (await behind(bench.service).leftovers()).machines.length === 1);
  });
});
