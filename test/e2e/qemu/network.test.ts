// @module-tag slow
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ComputerNetwork } from '../../../src/contract/resources.js';
import { machinePolicy } from '../../../src/engines/qemu/network/machine-policy.js';
import { planNetwork } from '../../../src/engines/qemu/network/plan.js';
import { probeNetwork } from '../../../src/engines/qemu/network/probe.js';
import { applyPolicy, refreshNetwork } from '../../../src/engines/qemu/network/refresh.js';
import { readRefusedNames } from '../../../src/engines/qemu/network/refused.js';
import { dialGuestPort } from '../../../src/engines/qemu/socket.js';
import { eventually } from '../../support/eventually.js';
import { PUBLIC, withPublicServers } from '../../support/network/public-servers.js';
import { TinyGuest } from '../../support/qemu/tiny-guest.js';
import { describeUnless } from '../../support/run/needs.js';
import { promise } from '../../support/run/promise.js';

const isRoot = process.getuid?.() === 0;
const probe = await probeNetwork();
const noNetwork = probe.usable ? undefined : `${probe.reason} (${probe.remedy})`;
const notRoot = isRoot ? undefined : 'needs root';

const PORT = 18_777;
/** No link of another run, which may have been killed before it removed its own. */
const LINK = `vct${process.pid}`;
const policy = { internet: true, allowNetworks: [] };
/** The host's permanent addresses, including public ones. */
const hostAddresses = Object.entries(networkInterfaces())
  .filter(([name]) => !/^(br-|docker|veth|vc)/.test(name))
  .flatMap(([, entries]) => entries ?? [])
  .filter(({ family, internal }) => family === 'IPv4' && !internal)
  .map(({ address }) => address);
let server: Server;
let guest: TinyGuest;
let other: TinyGuest;
beforeAll(async () => {
  if (!probe.usable) return;
  if (isRoot) {
    await execa('ip', ['link', 'add', LINK, 'type', 'veth', 'peer', 'name', `${LINK}p`]);
    await execa('ip', ['address', 'add', '10.77.0.1/24', 'dev', LINK]);
    await execa('ip', ['link', 'set', LINK, 'up']);
  }
  server = createServer((socket) => socket.on('error', () => undefined).end('host\n'));
  await new Promise<void>((resolve) => server.listen(PORT, '0.0.0.0', resolve));
  const network = await planNetwork(probe, policy);
  guest = await TinyGuest.boot('one', network);
  other = await TinyGuest.boot('two', network);
});
afterAll(async () => {
  await Promise.all([guest?.end(), other?.end()]);
  server?.close();
  if (isRoot) await execa('ip', ['link', 'del', LINK]).catch(() => undefined);
});

/** The greeting that the host itself gets, which shows that the server is reachable. */
async function greetingOnHost(host: string, port: number): Promise<string> {
  const { stdout } = await execa('socat', ['-', `TCP4:${host}:${port}`], { input: '' });
  return stdout;
}

describeUnless(noNetwork)('a machine cannot reach', () => {
  promise(1, "the host's loopback, by any address", async () => {
    expect(await greetingOnHost('127.0.0.1', PORT)).toBe('host');
    for (const host of ['127.0.0.1', '198.18.0.2', '198.19.255.2', '198.19.255.100', '0.0.0.0']) {
      expect(await guest.greeting(host, PORT), host).toBe('');
    }
  });

  promise(1, "the host's addresses, public ones included", async () => {
    expect(hostAddresses).not.toEqual([]);
    for (const host of hostAddresses) {
      expect(await greetingOnHost(host, PORT)).toBe('host');
      expect(await guest.greeting(host, PORT), host).toBe('');
    }
  });

  promise.unless(notRoot)(1, 'a private address', async () => {
    expect(await greetingOnHost('10.77.0.1', PORT)).toBe('host');
    expect(await guest.greeting('10.77.0.1', PORT)).toBe('');
  });

  promise(1, "the host's addresses after its rules are renewed", async () => {
    const planned = await planNetwork(probe, policy);
    const { identity } = guest.spawned;
    const renewed = await refreshNetwork(identity, { ...planned, hostAddresses: [] });
    expect(renewed.hostAddresses).toEqual(
      expect.arrayContaining(hostAddresses.map((address) => `${address}/32`)),
    );
    for (const host of hostAddresses) expect(await guest.greeting(host, PORT), host).toBe('');
  });

  promise.unless(notRoot)(
    27,
    'an address that the host gets later, while no service runs',
    async (report) => {
      const planned = await planNetwork(probe, policy);
      await execa('ip', ['address', 'add', '192.52.193.77/32', 'dev', LINK]);
      const addedAt = performance.now();
      expect(await greetingOnHost('192.52.193.77', PORT)).toBe('host');
      await eventually(async () => (await guest.greeting('192.52.193.77', PORT)) === '', 10_000);
      report(`blocked within ${((performance.now() - addedAt) / 1000).toFixed(1)} s`);
      const refreshed = await refreshNetwork(guest.spawned.identity, planned);
      expect(refreshed.hostAddresses).toContain('192.52.193.77/32');
      expect(await guest.greeting('192.52.193.77', PORT)).toBe('');
      expect(await refreshNetwork(guest.spawned.identity, refreshed)).toBe(refreshed);
    },
  );

  promise(1, 'metadata services or private networks, with an immediate refusal', async () => {
    for (const host of ['169.254.169.254', '10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1']) {
      expect(await guest.run(`nc -w 9 ${host} 80 </dev/null; echo $?`), host).toMatch(
        /(refused|unreachable|prohibited|reset)[^\n]*\n1$/i,
      );
    }
  });

  promise(1, 'another machine by any address', async () => {
    expect(await other.greeting('127.0.0.1', 22)).toBe('guest two');
    for (const host of [
      '198.18.0.15',
      '198.18.0.2',
      '198.19.255.2',
      '198.19.255.100',
      ...hostAddresses,
    ]) {
      for (const port of [22, 2222]) {
        expect(await guest.greeting(host, port), `${host}:${port}`).not.toContain('two');
      }
    }
  });

  promise(1, "other ports of the host's name server", async () => {
    expect(await guest.run('nc -w 3 198.19.255.3 54 </dev/null; echo $?')).toMatch(/1$/);
  });
});

describeUnless(noNetwork)('a machine with internet access', () => {
  it("resolves names and fetches Debian's packages", async () => {
    const sources = await Promise.all(
      ['/etc/apt/sources.list', '/etc/apt/sources.list.d/debian.sources'].map((path) =>
        readFile(path, 'utf8').catch(() => ''),
      ),
    );
    const mirror = /http:\/\/[^\s/]+\/debian(?=[\s/])/.exec(sources.join('\n'))?.[0];
    const { hostname } = new URL(mirror ?? '');
    expect(await guest.run(`nslookup ${hostname} 198.18.0.3`)).toMatch(/Address.*\d+\.\d+/);
    const url = `${mirror}/dists/bookworm/Release`;
    expect(await guest.run(`wget -q -O - ${url} | head -1`)).toMatch(/^Origin: Debian/);
  });

  promise.unless(notRoot)(1, 'reaches a public address', async () => {
    await withPublicServers(async () => {
      let greeting = '';
      for (let i = 0; i < 10 && greeting === ''; i++) {
        greeting = await guest.greeting(PUBLIC, 8080);
      }
      expect(greeting).toBe('public');
    });
  });
});

describeUnless(noNetwork ?? notRoot)('a machine with a rate', () => {
  it('has it in both directions, and what it is changed to at once', async () => {
    const RATE = 512e3;
    const throttled = await TinyGuest.boot(
      'slow',
      await planNetwork(probe, policy, { internet: true, rate: '512kbit' }),
    );
    const bytes = 300_000;
    const speedOf = async (command: string) => {
      const began = performance.now();
      await throttled.run(command);
      return (bytes * 8000) / (performance.now() - began);
    };
    const speeds = async () => [
      await speedOf(`nc ${PUBLIC} 19 </dev/null | head -c ${bytes} >/dev/null`),
      await speedOf(`head -c ${bytes} /dev/zero | nc ${PUBLIC} 9`),
    ];
    const change = (network: ComputerNetwork) =>
      applyPolicy(throttled.spawned.identity, throttled.directory, machinePolicy(network));
    try {
      await withPublicServers(async () => {
        for (const speed of await speeds()) {
          expect(speed).toBeGreaterThan(RATE * 0.7);
          expect(speed).toBeLessThan(RATE * 1.3);
        }
        await change('internet');
        for (const speed of await speeds()) expect(speed).toBeGreaterThan(RATE * 1.5);
        await change({ allow: ['192.52.193.0/24'], rate: '256kbit' });
        for (const speed of await speeds()) expect(speed).toBeLessThan(256e3 * 1.3);
      });
    } finally {
      await throttled.end();
    }
  });
});

describeUnless(noNetwork)('a machine with a list', () => {
  const list = { allow: ['deb.debian.org', '198.51.100.0/24:80'] };
  const answers = (machine: TinyGuest, name: string, server = '198.18.0.3') =>
    machine.run(`nslookup ${name} ${server} 2>&1 | tail -n +3`);
  const fetches = (machine: TinyGuest, name: string) =>
    machine.run(`wget -q -O - http://${name}/debian/dists/bookworm/Release 2>/dev/null | head -1`);

  promise(32, 'reaches its domains only, and what it is changed to at once', async () => {
    const restricted = await TinyGuest.boot('list', await planNetwork(probe, policy, list));
    try {
      const { identity } = restricted.spawned;
      const [host, other] = ['deb.debian.org', 'security.debian.org'];
      expect(await answers(restricted, host)).toMatch(/Address.*\d+\.\d+/);
      expect(await fetches(restricted, host)).toMatch(/^Origin: Debian/);
      expect(await answers(restricted, other)).not.toMatch(/Address.*\d+\.\d+/);
      // Any other name server is this one too.
      expect(await answers(restricted, host, '9.9.9.9')).toMatch(/Address.*\d+\.\d+/);
      expect(await answers(restricted, other, '9.9.9.9')).not.toMatch(/Address.*\d+\.\d+/);
      for (const host of ['9.9.9.9', '10.77.0.1', ...hostAddresses]) {
        expect(await restricted.run(`nc -w 3 ${host} 53 </dev/null; echo $?`), host).toMatch(/1$/);
      }
      const refused = async () =>
        (await readRefusedNames(restricted.directory)).map(({ name }) => name);
      await eventually(async () => (await refused()).includes(other));
      expect(await refused()).not.toContain(host);
      const change = (network: ComputerNetwork) =>
        applyPolicy(identity, restricted.directory, machinePolicy(network));
      await change('none');
      expect(await refused()).toEqual([]);
      expect(await answers(restricted, host)).not.toMatch(/Address.*\d+\.\d+/);
      expect(await fetches(restricted, host)).toBe('');
      await change('internet');
      expect(await answers(restricted, other)).toMatch(/Address.*\d+\.\d+/);
      expect(await fetches(restricted, host)).toMatch(/^Origin: Debian/);
      await change(list);
      expect(await answers(restricted, other)).not.toMatch(/Address.*\d+\.\d+/);
      expect(await answers(restricted, host)).toMatch(/Address.*\d+\.\d+/);
      expect(await fetches(restricted, host)).toMatch(/^Origin: Debian/);
    } finally {
      await restricted.end();
    }
  });
});

describeUnless(noNetwork)('without internet access', () => {
  promise(1, 'machines reach nothing, but the host reaches their ports', async () => {
    const network = await planNetwork(probe, { internet: false, allowNetworks: [] });
    expect(network).toMatchObject({ mode: 'isolated', guest: null });
    const closed = await TinyGuest.boot('closed', network);
    try {
      for (const host of [...hostAddresses, '198.18.0.2']) {
        expect(await closed.greeting(host, PORT), host).toBe('');
      }
      expect(await outputOf(closed)).toBe('guest closed\n');
    } finally {
      await closed.end();
    }
  });

  promise(1, 'machines reach only the allowed networks', async () => {
    const address = hostAddresses[0] ?? '';
    const network = await planNetwork(probe, { internet: false, allowNetworks: [address] });
    const opened = await TinyGuest.boot('opened', network);
    try {
      expect(await opened.greeting(address, PORT)).toBe('host');
      expect(await opened.run('nslookup example.com 198.18.0.3 || echo none')).toContain('none');
    } finally {
      await opened.end();
    }
  });
});

describeUnless(noNetwork)('a host with an allowed range of networks', () => {
  promise.unless(notRoot)(
    27,
    'is unreachable, even if the range includes its address',
    async () => {
      const allowNetworks = ['10.0.0.0/8'];
      const network = await planNetwork(probe, { internet: true, allowNetworks });
      const ranged = await TinyGuest.boot('ranged', network);
      try {
        expect(await greetingOnHost('10.77.0.1', PORT)).toBe('host');
        expect(await ranged.greeting('10.77.0.1', PORT)).toBe('');
      } finally {
        await ranged.end();
      }
    },
  );
});

describeUnless(noNetwork)("a machine's socket", () => {
  it("connects to its own guest's port", async () => {
    expect(await outputOf(guest)).toBe('guest one\n');
    expect(await outputOf(other)).toBe('guest two\n');
  });
});

async function outputOf(machine: TinyGuest): Promise<string> {
  const socket = await dialGuestPort(machine.directory);
  let output = '';
  for await (const part of socket) output += part;
  return output;
}
