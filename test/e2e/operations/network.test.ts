// @module-tag slow
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { measureSpeeds } from '../../support/network/measure.js';
import {
  OTHER_RESOLVER,
  openPublicNetwork,
  type PublicNetwork,
} from '../../support/network/public.js';
import { promise } from '../../support/run/promise.js';
import { isThorough } from '../../support/run/tiers.js';
import { untilRunning } from '../../support/service/desktop.js';
import { eventsOf } from '../../support/service/events.js';
import { openTestService, type TestService } from '../../support/service/service.js';

const engine = inject('engine');
const pid = engine === 'docker' ? inject('dockerPid') : (inject('podman')?.pid ?? 0);

const RECORDS = [
  'address=/allowed.example.com/192.0.2.10',
  'host-record=cdn.example.net,192.0.2.11',
  'cname=alias.example.com,cdn.example.net',
  'address=/db.example.org/192.0.2.12',
  'address=/other.example.net/192.0.2.13',
  'address=/private.example.com/10.99.0.7',
  'address=/tried.example.net/192.0.2.99',
];
const LIST = {
  allow: ['example.com', 'db.example.org:5432', '198.51.100.0/24', '192.0.2.20:8080'],
};

/** Tries an address and a name for as long as the computer runs. */
const TRY = `import socket, time
while True:
    for host in '192.0.2.99', 'tried.example.net':
        try: socket.create_connection((host, 80), 1).close()
        except OSError: time.sleep(0.02)
`;

let network: PublicNetwork;
let service: TestService;
let id: string;
const computer = async () => (await service.http('GET', `/computers/${id}`)).json;
const bash = async (command: string, of = id) =>
  (await service.http('POST', `/computers/${of}/bash`, { command, timeout: 60 })).json;
/** Whether a program of root reaches a port. */
const reaches = async (host: string, port = 80, of = id) => {
  const script = `exec 3<>/dev/tcp/${host}/${port} && head -1 <&3`;
  return (await bash(`sudo timeout 4 bash -c '${script}' 2>/dev/null`, of)).stdout === 'public\n';
};
const resolves = async (name: string) =>
  (await bash(`getent ahostsv4 ${name} | head -1 | cut -d' ' -f1`)).stdout.trim();
const update = async (change: unknown) => {
  const { status, json } = await service.http('PATCH', `/computers/${id}`, { network: change });
  expect(status, json.error).toBe(200);
};

beforeAll(async () => {
  network = await openPublicNetwork(pid, RECORDS);
  service = await openTestService();
  await service.vc.projects.create('e2e');
  const { status, json } = await service.http('POST', '/projects/e2e/computers', {
    name: 'desktop',
    network: 'none',
    files: [
      { path: 'try.py', content: TRY },
      // It starts with the desktop.
      { path: '/usr/lib/vc/program', mode: '0755', content: '#!/bin/sh\npython3 ~/try.py\n' },
    ],
    setup: 'timeout 3 python3 try.py || true',
  });
  if (status !== 200) throw new Error(`no computer: ${JSON.stringify(json)}`);
  id = json.id;
});
afterAll(async () => {
  await service?.close();
  await network?.close();
});

promise(32, 'without a network nothing is reached and no name resolved', async () => {
  expect(await computer()).toMatchObject({ status: 'running', network: 'none' });
  for (const host of ['192.0.2.10', '198.51.100.7', 'allowed.example.com']) {
    expect(await reaches(host), host).toBe(false);
  }
  expect(await resolves('allowed.example.com')).toBe('');
  expect(await network.seen()).toEqual([]);
});

async function expectList(of = id): Promise<void> {
  for (const [host, port] of [
    ['allowed.example.com', 80],
    ['alias.example.com', 81],
    ['db.example.org', 5432],
    ['198.51.100.7', 80],
    ['192.0.2.20', 8080],
  ] as const) {
    await eventually(() => reaches(host, port, of), 60_000);
  }
  for (const [host, port] of [
    ['other.example.net', 80],
    ['192.0.2.13', 80],
    ['db.example.org', 80],
    ['192.0.2.20', 80],
    ['private.example.com', 80],
    ['10.99.0.7', 80],
  ] as const) {
    expect(await reaches(host, port, of), `${host}:${port}`).toBe(false);
  }
}

promise(32, 'a list lets its domains, networks and ports through, and nothing else', async () => {
  await update(LIST);
  expect(await computer()).toMatchObject({ network: LIST });
  await expectList();
  expect(await resolves('other.example.net')).toBe('');
  await eventually(async () => {
    const { json } = await service.http('GET', `/computers/${id}/network`);
    const names = json.refused.map(({ name }: { name: string }) => name);
    return names.includes('other.example.net') && !names.includes('allowed.example.com');
  });
  // Another resolver, over UDP and TCP, and a name of the guest's own.
  await bash('echo 192.0.2.13 allowed.example.com | sudo tee -a /etc/hosts');
  expect(await reaches('allowed.example.com')).toBe(false);
  await bash("sudo sh -c 'grep -v 192.0.2.13 /etc/hosts >/tmp/hosts; cat /tmp/hosts >/etc/hosts'");
  for (const flag of ['SOCK_DGRAM', 'SOCK_STREAM']) {
    expect((await bash(`python3 -c "${query(flag)}"`)).stdout).not.toContain('192.0.2.13');
  }
});

/** Asks the other resolver for other.example.net, and prints the address at the end of its answer. */
function query(kind: string): string {
  const isTcp = kind === 'SOCK_STREAM';
  return [
    'import socket, struct',
    `s = socket.socket(socket.AF_INET, socket.${kind}); s.settimeout(3)`,
    `s.connect(('${OTHER_RESOLVER}', 53))`,
    "q = struct.pack('>HHHHHH', 7, 256, 1, 0, 0, 0) + b'\\x05other\\x07example\\x03net\\x00' + struct.pack('>HH', 1, 1)",
    `s.sendall(${isTcp ? "struct.pack('>H', len(q)) + q" : 'q'})`,
    'a = s.recv(512)',
    "print('.'.join(str(b) for b in a[-4:]))",
  ].join('; ');
}

promise(32, 'a list holds after a restart, of the service too', async (report) => {
  await service.http('POST', `/computers/${id}/stop`);
  await service.http('POST', `/computers/${id}/start`);
  await expectList();
  await service.kill('SIGKILL');
  await service.start();
  await expectList();
  // No packet to an address that was never allowed has left the computer, whose program tries.
  expect((await bash('pgrep -fc "[t]ry.py"')).stdout.trim()).not.toBe('0');
  const seen = await network.seen();
  const allowed = ['192.0.2.10', '192.0.2.11', '192.0.2.12', '192.0.2.20', '198.51.100.7'];
  expect(seen.filter((address) => !allowed.includes(address))).toEqual([]);
  report(`packets to ${seen.length} addresses, all allowed`);
});

promise(32, 'lost rules are restored', async (report) => {
  const listed = await network.atEngine('nft', 'list', 'tables', 'inet');
  const [ofComputer = '', ofService = ''] = /(vc_[0-9a-f]{12})_\w+/.exec(listed) ?? [];
  const tables = [ofComputer, ofService];
  for (const table of tables) await network.atEngine('nft', 'delete', 'table', 'inet', table);
  const lostAt = Date.now();
  await eventually(async () => {
    const present = await network.atEngine('nft', 'list', 'tables', 'inet');
    return tables.every((table) => present.includes(table));
  }, 60_000);
  report(`restored after ${((Date.now() - lostAt) / 1000).toFixed(1)} s`);
  await expectList();
});

promise(32, 'a copy keeps the list of its source', async () => {
  const { status, json } = await service.http('POST', `/computers/${id}/fork`, { name: 'copy' });
  expect(status, json.error).toBe(200);
  expect(json).toMatchObject({ network: LIST });
  await expectList(json.id);
  await service.http('DELETE', `/computers/${json.id}`);
});

/** Prints when the server that repeats what it is sent can no longer be reached. */
const TALK = `import socket, time
s = socket.create_connection(('192.0.2.13', 7), 5)
try:
    while True:
        s.sendall(b'x'); s.recv(1); print('talks', flush=True); time.sleep(0.1)
except OSError: print('ended', flush=True)
`;

promise(32, 'a change is in force at once, also for an open connection', async () => {
  await update('internet');
  for (const host of ['192.0.2.13', 'other.example.net']) {
    await eventually(() => reaches(host), 60_000);
  }
  await bash(`cat >talk.py <<'EOT'\n${TALK}EOT`);
  await bash('nohup python3 talk.py >talk.txt 2>&1 &');
  await eventually(async () => (await bash('cat talk.txt')).stdout.includes('talks'), 60_000);
  await update('none');
  await eventually(async () => (await bash('cat talk.txt')).stdout.includes('ended'), 60_000);
  expect(await reaches('192.0.2.13')).toBe(false);
});

const RATE = 1e6;
const THROTTLED = { internet: true, rate: '1mbit' } as const;

async function speeds(of = id): Promise<number[]> {
  const code = measureSpeeds('192.0.2.10');
  const path = `/computers/${of}/exec`;
  const { status, json } = await service.http('POST', path, { code, timeout: 60 });
  expect(status, json.error).toBe(200);
  const found = (json.output as string).trim().split('\n').map(Number);
  expect(found, json.output).toHaveLength(2);
  return found;
}

it('throttles a network in both directions, which root in the computer cannot undo', async () => {
  await update(THROTTLED);
  const measured = [await speeds()];
  await bash('sudo tc qdisc del dev eth0 root; sudo tc qdisc replace dev eth0 root pfifo');
  measured.push(await speeds());
  const events = eventsOf(service);
  for (const [, pass] of isThorough ? events : events.slice(0, 1)) {
    await pass(id);
    await untilRunning(service, id);
    measured.push(await speeds());
  }
  const { json } = await service.http('POST', `/computers/${id}/fork`, { name: 'slow' });
  expect(json).toMatchObject({ network: THROTTLED });
  measured.push(await speeds(json.id));
  await service.http('DELETE', `/computers/${json.id}`);
  const shown = measured.map((pair) => pair.map((speed) => (speed / 1e6).toFixed(2)).join(' and '));
  console.log(`Mbit/s received and sent: ${shown.join(', ')}`);
  for (const speed of measured.flat()) {
    // A busy host is slower.
    expect(speed).toBeGreaterThan(RATE * 0.3);
    expect(speed).toBeLessThan(RATE * 1.3);
  }
  await update({ ...LIST, rate: '1mbit' });
  expect(await reaches('192.0.2.13')).toBe(false);
  await update('internet');
  for (const speed of await speeds()) expect(speed).toBeGreaterThan(RATE * 5);
  const devices = await network.atEngine('ip', '-o', 'link', 'show', 'type', 'ifb');
  expect(devices).toBe('');
}, 600_000);

it('delays round trips, or says why the kernel cannot', async () => {
  const wanted = { internet: true, delay: '300ms' };
  const before = await computer();
  const { status, json } = await service.http('PATCH', `/computers/${id}`, { network: wanted });
  if (status !== 200) {
    console.log(json.error);
    expect(status).toBe(400);
    expect(json.error).toMatch(/cannot be throttled on this host \(.*qdisc/);
    expect((await computer()).network).toEqual(before.network);
    return;
  }
  const code = `import socket, time; t = time.monotonic(); socket.create_connection(('192.0.2.10', 7), 9); print(time.monotonic() - t)`;
  const { stdout } = await bash(`python3 -c "${code}"`);
  expect(Number(stdout)).toBeGreaterThanOrEqual(0.3);
  expect(Number(stdout)).toBeLessThan(3);
});
