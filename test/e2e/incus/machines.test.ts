// @module-tag thorough
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import type { Engine, MachineSpec } from '../../../src/engines/engine.js';
import { openIncus } from '../../../src/engines/incus/open.js';
import { openScreen } from '../../../src/screen/index.js';
import { generateKeyPair } from '../../../src/shell/keys.js';
import { openShell } from '../../../src/shell/shell.js';
import { eventually } from '../../support/eventually.js';

const keys = generateKeyPair();
const noPool = (): never => {
  throw new Error('this engine has no warm pool');
};
const options = { internet: true, allowNetworks: [], options: {} };
const open = (serviceId: string) =>
  openIncus(inject('clusterState'), {
    ...{
      ...options,
      serviceId,
      networks: () => new Map(),
      warmUp: async () => undefined,
      prepare: async () => undefined,
      discard: () => undefined,
      identify: noPool,
    },
    onProblem: (line) => console.log(line),
  });
const spec = (id: string): MachineSpec => ({
  ...{ id, ownerId: 'own_one', projectId: 'prj_one', os: 'linux', image: 'linux' },
  ...{ cpu: 1, ram: 1, gpu: 'none', resolution: { width: 1024, height: 768 }, sudo: false },
  ...{ authorizedKey: keys.publicKey, hostName: `desk-${id.slice(-1)}` },
});
const ids = ['mch_a', 'mch_b', 'mch_c'];

let engine: Engine;
beforeAll(async () => {
  engine = await open('e2e');
});
const removeAll = async () => {
  for (const { id } of await engine.list()) await engine.remove(id);
};
// Of an attempt that failed.
beforeEach(removeAll);
afterAll(async () => {
  await removeAll();
  await engine.close?.();
});

/** Resolves when the guest can be used. */
async function start(id: string): Promise<void> {
  await engine.start(id);
  (await openScreen(await engine.dial(id, 'screen'))).close();
}

async function run(id: string, command: string): Promise<string> {
  const access = { user: 'user', privateKey: keys.privateKey, timeoutMs: 30_000 };
  const shell = await openShell(await engine.dial(id, 'shell'), access);
  try {
    return (await shell.run({ command, timeoutMs: 60_000, background: false })).stdout;
  } finally {
    shell.close();
  }
}

it('machines created at once share neither user ids nor a network, and leave nothing', async () => {
  const seen: string[] = [];
  const watching = new AbortController();
  const watch = (async () => {
    for await (const { id, status } of engine.watch(watching.signal)) seen.push(`${id} ${status}`);
  })();
  await Promise.all(ids.map((id) => engine.create(spec(id))));
  // Idempotent.
  await engine.create(spec('mch_a'));
  await Promise.all(ids.map(start));
  await engine.start('mch_a');
  expect((await engine.list()).map(({ id, status }) => `${id} ${status}`).sort()).toEqual(
    ids.map((id) => `${id} running`),
  );

  const maps = await Promise.all(ids.map((id) => run(id, 'cat /proc/self/uid_map')));
  const bases = maps.map((text) => Number(text.trim().split(/\s+/)[1]));
  expect(new Set(bases).size).toBe(3);
  expect(Math.min(...bases)).toBeGreaterThan(65_536);
  const status = await run('mch_a', 'grep -hE "^(Cap|NoNewPrivs)" /proc/self/status');
  expect(status.match(/^Cap\w+:\s+0+$/gm)).toHaveLength(5);
  expect(status).toMatch(/NoNewPrivs:\s+1/);
  expect(await run('mch_a', 'hostname; unshare -U true || echo refused')).toBe('desk-a\nrefused\n');

  // The API that servers offer to guests.
  expect(await run('mch_a', 'ls -d /dev/lxd /dev/incus 2>/dev/null; true')).toBe('');

  const address = (await run('mch_b', "ip -4 -o address show eth0 | awk '{print $4}'")).trim();
  expect(address).toMatch(/^10\.150\.\d+\.\d+\/16$/);
  const targets = [address.split('/')[0], '10.150.0.1', '10.79.0.1', '10.79.0.254'];
  const connect = (host: string | undefined) =>
    `timeout 1 bash -c '</dev/tcp/${host}/8443' 2>&1; [ $? = 124 ] && echo silent`;
  const answers = await run('mch_a', targets.map(connect).join('; '));
  expect(answers).toBe('silent\n'.repeat(targets.length));

  // Another service of the same cluster sees and changes none of them.
  const other = await open('other');
  expect(await other.list()).toEqual([]);
  await expect(other.start('mch_a')).rejects.toMatchObject({ code: 'not_found' });
  await other.remove('mch_a');
  await other.close?.();

  const screen = await openScreen(await engine.dial('mch_b', 'screen'));
  expect(screen.size).toEqual({ width: 1024, height: 768 });
  screen.close();

  await run('mch_a', 'echo kept >~/file');
  const size = { cpu: 4, ram: 4, resolution: { width: 640, height: 480 } };
  expect(await engine.resize('mch_a', { ...size, ram: 2 })).toBe('now');
  await engine.stop('mch_a', 3_000);
  await expect(engine.dial('mch_a', 'shell')).rejects.toMatchObject({ code: 'not_running' });
  await engine.setHostName?.('mch_a', 'renamed');
  await engine.resize('mch_a', size);
  await start('mch_a');
  expect(await run('mch_a', 'cat ~/file; hostname')).toBe('kept\nrenamed\n');
  expect(await run('mch_a', 'df -m --output=size /tmp | tail -n 1')).toMatch(/^ *2048\n$/);
  const resized = await openScreen(await engine.dial('mch_a', 'screen'));
  expect(resized.size).toEqual(size.resolution);
  resized.close();

  await Promise.all(ids.map((id) => engine.remove(id)));
  await engine.remove('mch_a');
  expect(await engine.list()).toEqual([]);
  await eventually(async () => ids.every((id) => seen.includes(`${id} gone`)));
  expect(seen).toContain('mch_a stopped');
  watching.abort();
  await watch;
}, 240_000);
