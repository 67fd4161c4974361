import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BuiltDisk, buildDisk } from '../../../../src/engines/qemu/images/build-disk.js';
import { openScreen } from '../../../../src/screen/index.js';
import { generateKeyPair, type KeyPair } from '../../../../src/shell/keys.js';
import { openShell } from '../../../../src/shell/shell.js';
import { startVm, type Vm } from '../../../support/qemu/vm.js';

/** For an emulated guest on a busy host. */
const SLOW_MS = 400_000;

/** The output of `seq 100000`: 0.6 MB. */
const NUMBERS = [...Array.from({ length: 100_000 }, (_, index) => `${index + 1}`), ''];

let image: BuiltDisk;
let vm: Vm;
const first = generateKeyPair();
const second = generateKeyPair();

beforeAll(async () => {
  image = await buildDisk('linux', {
    onProgress: (line) => process.stderr.write(`e2e: ${line}\n`),
  });
  vm = await startVm(image);
}, 1_800_000);

afterAll(async () => {
  await vm?.close();
});

const configuration = (hostname: string, key: KeyPair, more: object = {}) => ({
  do: 'configure',
  hostname,
  authorizedKey: key.publicKey,
  resolution: '1024x640',
  mac: '52:54:00:12:34:99',
  time: Date.UTC(2031, 4, 6),
  entropy: randomBytes(64).toString('base64'),
  network: { address: '10.0.2.15/24', gateway: '10.0.2.2', dns: ['10.0.2.3'] },
  ...more,
});

async function run(key: KeyPair, command: string): Promise<string> {
  const shell = await openShell(await vm.dial('shell'), {
    user: 'user',
    privateKey: key.privateKey,
    timeoutMs: 60_000,
  });
  try {
    const result = await shell.run({ command, timeoutMs: 60_000, background: false });
    expect(result.exitCode, result.stderr).toBe(0);
    return result.stdout.trim();
  } finally {
    shell.close();
  }
}

test('the guest agent reports that it runs, and survives any input', {
  timeout: SLOW_MS,
}, async () => {
  expect(await vm.ask({ do: 'hello' })).toMatchObject({ ok: true, booted: true, version: 1 });
  for (const line of ['{', '[]', '"x"', '[['.repeat(20_000), 'x'.repeat(200_000), '\x00\xff']) {
    expect(await vm.send(line)).toMatchObject({ ok: false, error: expect.any(String) });
  }
  expect(await vm.ask({ do: '__init__' })).toMatchObject({ ok: false });
  for (const wrong of [
    { hostname: 'a b' },
    { authorizedKey: 'a\nb' },
    { resolution: '1x1; reboot' },
    { mac: 'x' },
    { time: '0' },
    { entropy: 'AAAA' },
    { network: { address: 'x', gateway: 'y', dns: [] } },
  ]) {
    const answer = await vm.ask(configuration('vc-wrong', first, wrong));
    expect(answer).toMatchObject({ ok: false, error: expect.any(String) });
  }
  expect(await vm.ask({ do: 'hello' })).toMatchObject({ ok: true });
});

test('the guest has the configured identity', { timeout: SLOW_MS }, async () => {
  expect(await vm.ask(configuration('vc-one', first))).toMatchObject({ ok: true });
  expect(await vm.ask({ do: 'ready' })).toMatchObject({ ok: true });
  const facts = await run(
    first,
    'hostname; date +%Y; id -un; sudo -n id -un; cat /sys/class/net/e*/address; ip -4 -o route; cat /etc/resolv.conf; wc -c </etc/machine-id; stat -f -c %T /tmp',
  );
  expect(facts.split('\n')).toEqual([
    ...['vc-one', '2031', 'user', 'root', '52:54:00:12:34:99'],
    expect.stringContaining('default via 10.0.2.2'),
    expect.stringContaining('10.0.2.0/24'),
    ...['nameserver 10.0.2.3', '33', 'tmpfs'],
  ]);
});

test('the screen works over several connections', { timeout: SLOW_MS }, async () => {
  for (let connections = 0; connections < 3; connections++) {
    const screen = await openScreen(await vm.dial('screen'), { timeoutMs: 60_000 });
    expect(screen.size).toEqual({ width: 1024, height: 640 });
    await screen.move(400 + connections, 300);
    const options = { format: 'png', quality: 80, scale: 1, cursor: false } as const;
    expect((await screen.screenshot(options)).data.length).toBeGreaterThan(10_000);
    screen.close();
  }
});

test('the display server has a higher priority than programs', { timeout: SLOW_MS }, async () => {
  expect(await run(first, 'nice; ps -o ni= -C Xvnc | tr -d " "')).toBe('0\n-15');
});

test('the shell answers every command, over several connections', {
  timeout: SLOW_MS,
}, async () => {
  for (let connections = 0; connections < 3; connections++) {
    const shell = await openShell(await vm.dial('shell'), {
      user: 'user',
      privateKey: first.privateKey,
      timeoutMs: 60_000,
    });
    for (let commands = 0; commands < 20; commands++) {
      const result = await shell.run({
        command: 'echo $((6 * 7))',
        timeoutMs: 60_000,
        background: false,
      });
      expect(result.stdout).toBe('42\n');
    }
    const large = await shell.run({
      command: 'seq 100000',
      timeoutMs: 60_000,
      background: false,
    });
    expect(large.stdout.split('\n')).toEqual(NUMBERS);
    shell.close();
  }
});

test('a second identity revokes the key of the first', { timeout: SLOW_MS }, async () => {
  const facts =
    'cat /var/lib/vc/ssh_host_ed25519_key /etc/machine-id | md5sum; cat /etc/machine-id';
  const before = await run(first, facts);
  const same = await vm.ask(configuration('vc-one', first));
  expect(same).toMatchObject({ ok: true });
  expect(await run(first, facts)).toBe(before);

  expect(await vm.ask(configuration('vc-two', second))).toMatchObject({ ok: true });
  await expect(run(first, 'true')).rejects.toThrow();
  const after = await run(second, facts);
  expect(after.split('\n')[0]).not.toBe(before.split('\n')[0]);
  expect(after.split('\n')[1]).not.toBe(before.split('\n')[1]);

  const hostKey = generateKeyPair();
  const third = configuration('vc-three', first, { hostKey: hostKey.privateKey, network: null });
  expect(await vm.ask(third)).toMatchObject({ ok: true });
  expect(await run(first, 'cat /var/lib/vc/ssh_host_ed25519_key; hostname')).toBe(
    `${hostKey.privateKey.trim()}\nvc-three`,
  );
  expect(await run(first, 'ip -4 -o route; ls -l /var/lib/vc/ssh_host_ed25519_key')).toMatch(
    /^-rw------- 1 user user/,
  );
});

test('the guest settles, and then powers off with a clean file system', {
  timeout: SLOW_MS,
}, async () => {
  expect(await vm.ask({ do: 'settle' })).toMatchObject({ ok: true });
  const started = performance.now();
  expect(await vm.ask({ do: 'shutdown' })).toMatchObject({ ok: true });
  await vm.off;
  console.log(`off after ${Math.round(performance.now() - started)} ms`);
  expect(await vm.console()).toContain('reboot: Power down');
});

test('a probe boot reports that the guest runs, and powers off', { timeout: SLOW_MS }, async () => {
  const probe = await startVm(image, 'vc.probe');
  try {
    await Promise.race([probe.off, sleep(60_000)]);
    expect(await probe.console()).toContain('vc-probe-ok');
  } finally {
    await probe.close();
  }
});
