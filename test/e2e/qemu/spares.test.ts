import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Bench, eventually, openBench, untilRunning } from '../../support/e2e.js';

/** A spare is made seconds after a start, by a machine that is emulated, beside everything else. */
const MADE_MS = 120_000;

let bench: Bench;
beforeAll(async () => {
  bench = await openBench(['--max-running', '4', '--spares', '1']);
});
afterAll(() => bench?.close());

const http = (method: string, path: string, body?: object) =>
  bench.service.http(method, path, body);
const bash = async (id: string, command: string) => {
  const { json } = await http('POST', `/computers/${id}/bash`, { command });
  if (json.exit_code !== 0) throw new Error(`${command}: ${JSON.stringify(json)}`);
  return (json.stdout as string).trim();
};
const create = async (name: string) => {
  const { json } = await http('POST', '/projects/e2e/computers', { name });
  await untilRunning(bench.service, json.id);
  return json.id as string;
};
const qemu = (...path: string[]) => join(bench.service.directory, 'state', 'qemu', ...path);
const spares = () => (existsSync(qemu('spares')) ? readdirSync(qemu('spares')) : []);
const pidIn = (...path: string[]): number =>
  JSON.parse(readFileSync(qemu(...path, 'machine.json'), 'utf8')).process.pid;
const lives = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
/** Clock ticks that a process has run for. */
const ticks = (pid: number) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
};
/** The process of a spare that stands still: it is ready to be handed out. */
const readySpare = () =>
  eventually(async () => {
    const [name] = spares();
    if (name === undefined) return undefined;
    try {
      const pid = pidIn('spares', name);
      // Twice: one that is only being made may wait for a moment.
      const before = ticks(pid);
      await sleep(1_000);
      const between = ticks(pid);
      await sleep(1_000);
      return between - before <= 2 && ticks(pid) - between <= 2 && pid;
    } catch {
      return undefined; // It is only being made.
    }
  }, MADE_MS);

it('gives the next of its shape a machine that waits, as one of its own', async () => {
  await bench.run('echo first > /dev/shm/whose; echo first > ~/whose');
  const spare = await readySpare();
  const id = await create('second');
  expect(pidIn('machines', id)).toBe(spare);

  const facts = async (command: string) => [await bench.run(command), await bash(id, command)];
  for (const command of [
    'hostname',
    'cat /etc/machine-id',
    'cat /sys/class/net/e*/address',
    'cat /var/lib/vc/authorized_keys',
    'cat /var/lib/vc/identity',
    'head -c 32 /dev/urandom | base64',
  ]) {
    const [first, second] = await facts(command);
    expect(second, command).not.toBe(first?.trim());
  }
  expect(await bash(id, 'hostname')).toBe(`vc-${id.replaceAll('_', '-')}`);
  expect(await bash(id, 'wc -l < /var/lib/vc/authorized_keys')).toBe('1');
  expect(await bash(id, 'ls /dev/shm ~ | grep whose || echo none')).toBe('none');
  const asked = Date.now() / 1000;
  const clock = Number(await bash(id, 'date +%s'));
  expect(clock).toBeGreaterThan(asked - 5);
  expect(clock).toBeLessThan(Date.now() / 1000 + 5);
  expect((await http('GET', `/computers/${id}/screenshot`)).json.success).toBe(true);

  const { json: copy } = await http('POST', `/computers/${id}/fork`, { name: 'copy' });
  expect(await bash(copy.id, 'hostname')).toBe(`vc-${copy.id.replaceAll('_', '-')}`);
  await http('DELETE', `/computers/${copy.id}`);
  await http('DELETE', `/computers/${id}`);
  expect(lives(spare)).toBe(false);
});

it('does without one that was killed', async () => {
  const spare = await readySpare();
  process.kill(spare, 'SIGKILL');
  const id = await create('third');
  expect(pidIn('machines', id)).not.toBe(spare);
  await http('DELETE', `/computers/${id}`);
});

it('ends what a killed service has left, and nothing else', async () => {
  const spare = await readySpare();
  const own = pidIn('machines', bench.id);
  await bench.service.kill('SIGKILL');
  expect(lives(spare)).toBe(true);
  await bench.service.start();
  await eventually(async () => !lives(spare) && spares().length === 0, MADE_MS);
  expect(pidIn('machines', bench.id)).toBe(own);
  expect(await bench.run('cat /dev/shm/whose')).toBe('first\n');
});

it('keeps none after the service has ended', async () => {
  const id = await create('fourth');
  const spare = await readySpare();
  await http('DELETE', `/computers/${id}`);
  await bench.service.kill('SIGTERM');
  expect(lives(spare)).toBe(false);
  expect(spares()).toEqual([]);
  await bench.service.start();
});
