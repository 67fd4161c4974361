// @module-tag slow
import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { openPublicServers, PUBLIC } from '../../support/network/public-servers.js';
import { untilRunning } from '../../support/service/desktop.js';
import { eventsOf } from '../../support/service/events.js';
import { type Json, openTestService, type TestService } from '../../support/service/service.js';

/** Every option of creation, seen in the guest: after the creation, after changes, and after each event. */

const engine = inject('engine');
const isContainer = engine !== 'qemu';
/**
 * LXD and Incus have no network but the internet, and show their containers no control groups; not
 * every version has volumes on every kernel.
 */
const isCluster = engine === 'incus';
const networkOf = (port: number) => (isCluster ? 'internet' : { allow: [`${PUBLIC}:${port}`] });

const expires_at = new Date(Date.now() + 10 * 86_400_000).toISOString();
const ASKED = {
  name: 'all',
  ...{ env: { FIRST: "it's a secret", LAST: 'old' }, timezone: 'Asia/Tokyo' },
  ...{ locale: 'de_DE.UTF-8', labels: { team: 'qa', tier: '1' }, sudo: false },
  ...{ auto_stop_minutes: 600, on_idle: 'delete', expires_in: 86_400, network: networkOf(8080) },
  ...(isCluster ? {} : { volumes: ['shared:/data', 'models:/read:ro'] }),
  resolution: '1024x768',
  files: [{ path: 'app.conf', content: 'of the request', mode: '0640' }],
  setup:
    'cat app.conf >setup.txt; echo " $FIRST $TZ" >>setup.txt; [ ! -d /data ] || echo kept >/data/setup.txt',
};
const CHANGE = {
  ...{ cpu: 4, ram: 4, resolution: '1152x864', network: networkOf(9) },
  labels: { team: null, tier: '2' },
  env: { FIRST: 'new', LAST: null },
  ...{ expires_at, on_idle: 'stop' },
};

/** Prints a line for each of the options, as a program of the computer sees them. */
const LOOK = `
echo "$FIRST,$LAST,$TZ,$LANG"
date +%Z; LC_ALL= locale decimal_point
stat -c '%a %U' app.conf; cat app.conf; echo
tr '\\n' ' ' <setup.txt; echo
tr '\\n' ' ' </data/setup.txt 2>/dev/null; echo
stat -c %U /data 2>/dev/null || echo none; touch /read/new 2>/dev/null && echo written || echo refused
sudo -n true 2>/dev/null && echo root || echo user
first() { for each in "$@"; do read -r value _ 2>/dev/null <$each && [ $value != max ] && echo $value && return; done; }
quota=$(first /sys/fs/cgroup/cpu.max /sys/fs/cgroup/cpu/cpu.cfs_quota_us)
[ "\${quota:-0}" -gt 0 ] && echo $((quota / 100000)) || nproc
limit=$(first /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes)
: \${limit:=$(($(awk '/^MemTotal/ {print $2}' /proc/meminfo) * 1024))}
echo $(((limit + (1 << 30) - 1) >> 30))
xdpyinfo | awk '/dimensions:/ {print $2}'
for port in 8080 9; do
  timeout 4 bash -c "exec 3<>/dev/tcp/${PUBLIC}/$port" 2>/dev/null && echo open || echo closed
done`;
const LINES = [
  ...['variables', 'zone', 'decimal', 'file', 'content', 'setup', 'inVolume', 'volume', 'readOnly'],
  ...['sudo', 'cpu', 'ram', 'screen', 'greeter', 'reader'],
] as const;

let service: TestService;
let closeServers: (() => Promise<void>) | undefined;
let id: string;

const call = async (method: string, path: string, body?: object): Promise<Json> => {
  const { status, json } = await service.http(method, path, body);
  expect(status, `${method} ${path}: ${JSON.stringify(json)}`).toBe(200);
  return json;
};

/** What the guest sees, what its desktop has, and what the service answers. */
async function seen(of = id) {
  const { stdout } = await call('POST', `/computers/${of}/bash`, { command: LOOK, timeout: 60 });
  const lines = (stdout as string).split('\n');
  const desktop =
    'tr "\\0" "\\n" </proc/$(pgrep -x xfce4-panel)/environ | grep -E "^(FIRST|LAST|LANG|TZ)=" | sort';
  const panel = await call('POST', `/computers/${of}/bash`, { command: desktop });
  const answer = await call('GET', `/computers/${of}`);
  const { labels, expires_at: expires, auto_stop_minutes, on_idle, network } = answer;
  const { env_names, timezone, locale, sudo, volumes, cpu, ram, resolution, pending } = answer;
  return {
    guest: Object.fromEntries(LINES.map((name, at) => [name, lines[at]])),
    desktop: panel.stdout.trim().split('\n'),
    answer: {
      ...{ labels, expires, auto_stop_minutes, on_idle, network, env_names, timezone, locale },
      ...{ sudo, volumes, cpu, ram, resolution, pending },
    },
  };
}

/** What LXD and Incus hide, or do not have. */
const hidden = !isCluster
  ? {}
  : {
      ...{ inVolume: '', volume: 'none', cpu: expect.any(String), ram: expect.any(String) },
      ...{ greeter: expect.any(String), reader: expect.any(String) },
    };
const created = {
  guest: {
    ...{ variables: "it's a secret,old,Asia/Tokyo,de_DE.UTF-8", zone: 'JST', decimal: ',' },
    ...{
      file: '640 user',
      content: 'of the request',
      setup: "of the request it's a secret Asia/Tokyo ",
    },
    ...{ inVolume: 'kept ', volume: 'user', readOnly: 'refused', sudo: 'user' },
    ...{ cpu: '2', ram: '2', screen: '1024x768', greeter: 'open', reader: 'closed' },
    ...hidden,
  },
  desktop: ["FIRST=it's a secret", 'LANG=de_DE.UTF-8', 'LAST=old', 'TZ=Asia/Tokyo'],
  answer: {
    ...{ labels: { team: 'qa', tier: '1' }, expires: expect.any(String), auto_stop_minutes: 600 },
    ...{ on_idle: 'delete', network: ASKED.network, env_names: ['FIRST', 'LAST'] },
    ...{ timezone: 'Asia/Tokyo', locale: 'de_DE.UTF-8', sudo: false },
    volumes: isCluster
      ? undefined
      : [
          { name: 'shared', path: '/data', read_only: false },
          { name: 'models', path: '/read', read_only: true },
        ],
    ...{ cpu: 2, ram: 2, resolution: { width: 1024, height: 768 }, pending: undefined },
  },
};

/** A container gets no more than the cores of the host. */
const cores = isContainer ? Math.min(4, availableParallelism()) : 4;
const size = { cpu: `${cores}`, ram: '4', screen: '1152x864' };
const atOnce = { ...size, ...(isContainer ? {} : { cpu: '2', ram: '2' }) };

const changed = {
  guest: {
    ...created.guest,
    ...{ variables: 'new,,Asia/Tokyo,de_DE.UTF-8', greeter: 'closed', reader: 'open' },
    ...size,
    ...hidden,
  },
  desktop: ['FIRST=new', 'LANG=de_DE.UTF-8', 'TZ=Asia/Tokyo'],
  answer: {
    ...created.answer,
    ...{ labels: { tier: '2' }, expires: expires_at, on_idle: 'stop', network: CHANGE.network },
    ...{ env_names: ['FIRST'], cpu: 4, ram: 4, resolution: { width: 1152, height: 864 } },
  },
};
const reset = {
  ...changed,
  guest: { ...changed.guest, setup: 'of the request new Asia/Tokyo ' },
};

beforeAll(async () => {
  const pid = { docker: inject('dockerPid'), podman: inject('podman')?.pid }[engine as string];
  if (!isCluster) closeServers = await openPublicServers(pid);
  service = await openTestService([], { mountsOf: inject('dockerPid') });
  await service.vc.projects.create('e2e');
  for (const name of isCluster ? [] : ['shared', 'models']) await service.vc.volumes.create(name);
  ({ id } = await call('POST', '/projects/e2e/computers?wait=0', ASKED));
  await untilRunning(service, id);
});
afterAll(async () => {
  await service?.close();
  await closeServers?.();
});

it('a new computer has what was asked for', async () => {
  expect(await seen()).toEqual(created);
});

it('a change is in force at once, or pending', async () => {
  await call('PATCH', `/computers/${id}`, CHANGE);
  expect(await seen()).toEqual({
    guest: { ...changed.guest, ...atOnce, ...hidden },
    // Programs that run keep their variables.
    desktop: created.desktop,
    answer: { ...changed.answer, pending: isContainer ? undefined : ['cpu', 'ram'] },
  });
});

it('all of it outlives each event, and a reset does again what is done once', async () => {
  for (const [event, pass] of eventsOf(service)) {
    // For the guest the same as a stop and a start.
    if (event === 'a restart') continue;
    await pass(id);
    await untilRunning(service, id);
    expect(await seen(), event).toEqual(event === 'a reset' ? reset : changed);
  }
}, 1_200_000);

it('a fork has what its original has', async () => {
  const copy = await call('POST', `/computers/${id}/fork?wait=0`, { name: 'copy' });
  await untilRunning(service, copy.id);
  expect(await seen(copy.id)).toEqual(reset);
  await call('DELETE', `/computers/${copy.id}`);
}, 600_000);
