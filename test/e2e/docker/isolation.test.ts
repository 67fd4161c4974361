// @module-tag slow

import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, inject } from 'vitest';
import { LABEL } from '../../../src/engines/containers/ids.js';
import { connectDocker } from '../../../src/engines/docker/client.js';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';
import { type OwnDesktop, openOwnDesktop } from '../../support/service/desktop.js';

const docker = connectDocker({ socketPath: inject('dockerHost').replace('unix://', '') });
const enginePid = inject('dockerPid');
let desktop: OwnDesktop;
beforeAll(async () => {
  desktop = await openOwnDesktop(['--no-sudo']);
});
afterAll(() => desktop.close());

const isRoot = process.getuid?.() === 0;
const notRoot = isRoot ? undefined : 'without root, the sockets of a service are on the disk';
const noNetwork =
  enginePid === 0 ? "needs an Engine of the tests' own, which only root starts" : undefined;

/** Runs a program in the Engine's network namespace. */
function atEngine(program: string, ...args: string[]) {
  return execa('nsenter', ['-t', String(enginePid), '-n', program, ...args]);
}

/** The host's user id of the desktop. */
async function uidOfDesktop(): Promise<number> {
  const { Config } = await docker.getContainer(`vc-${desktop.id}`).inspect();
  return Number(Config.Labels[LABEL.uid]);
}

/** Drops empty values: null, '', 0, false, and lists and objects of only these. */
function onlySet(settings: object): Record<string, unknown> {
  const entries = Object.entries(settings).map(([name, value]) => [name, withoutEmpty(value)]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.some((item) => item) ? value : undefined;
  if (typeof value !== 'object') return value || undefined;
  const set = value === null ? {} : onlySet(value);
  return Object.keys(set).length > 0 ? set : undefined;
}

describe('a container has exactly the promised hardening', () => {
  promise(2, 'in docker inspect', async (report) => {
    const name = `vc-${desktop.id}`;
    const { HostConfig, Config, Mounts, NetworkSettings } = await docker
      .getContainer(name)
      .inspect();
    const { NCPU } = await docker.info();
    const uid = await uidOfDesktop();
    const socketDirectory = join(desktop.service.directory, 'state', 'machines', desktop.id);
    // All settings that are set; empty ones grant nothing.
    const set = onlySet(HostConfig);
    expect(set).toEqual({
      CapDrop: ['ALL'],
      CgroupnsMode: 'private',
      Init: true,
      IpcMode: 'private',
      LogConfig: {
        Type: 'local',
        Config: { compress: 'false', 'max-file': '1', 'max-size': '1m' },
      },
      // The Engine's own defaults; newer versions mask more paths.
      MaskedPaths: expect.arrayContaining(['/proc/kcore', '/proc/keys', '/sys/firmware']),
      Memory: 2 * 2 ** 30,
      MemorySwap: 2 * 2 ** 30,
      ...(!isRoot && {
        Mounts: [
          {
            Type: 'bind',
            Source: socketDirectory,
            Target: '/run/vc',
            BindOptions: { Propagation: 'rprivate' },
          },
        ],
      }),
      NanoCpus: Math.min(2, NCPU) * 1e9,
      NetworkMode: name,
      CpuShares: 1024,
      OomScoreAdj: 500,
      PidsLimit: 2048,
      ReadonlyPaths: expect.arrayContaining(['/proc/sys', '/proc/sysrq-trigger', '/proc/irq']),
      RestartPolicy: { Name: 'no' },
      Runtime: 'runc',
      SecurityOpt: ['no-new-privileges'],
      ShmSize: 2 ** 30,
      Tmpfs: {
        '/tmp': `rw,exec,nosuid,nodev,mode=1777,size=${2 ** 30}`,
        ...(isRoot && {
          '/run/vc': `rw,nosuid,nodev,noexec,mode=0700,uid=${uid},gid=${uid},size=${2 ** 20},nr_inodes=256`,
        }),
      },
      Ulimits: [
        { Name: 'core', Hard: 0, Soft: 0 },
        { Name: 'nofile', Hard: 16_384, Soft: 16_384 },
      ],
      // A quota, if the storage driver supports it.
      ...(HostConfig.StorageOpt && { StorageOpt: { size: '64G' } }),
    });
    expect(Mounts.map(({ Type, Source, Destination }) => [Type, Source, Destination])).toEqual(
      isRoot ? [] : [['bind', socketDirectory, '/run/vc']],
    );

    const { Labels, Env, Image, StopSignal, Healthcheck, ...rest } = onlySet(Config);
    expect(rest).toEqual({
      Entrypoint: ['/usr/lib/vc/init'],
      Hostname: 'desktop',
      User: `${uid}:${uid}`,
      WorkingDir: '/home/user',
    });
    expect([Image, StopSignal, Healthcheck]).toEqual([
      'vc/linux:latest',
      'SIGTERM',
      { Test: ['NONE'] },
    ]);
    const variables = Config.Env.map((text) => text.split('=')[0]).filter(
      (name) => name !== 'PATH',
    );
    expect(variables.sort()).toEqual(['LANG', 'VC_AUTHORIZED_KEY', 'VC_RESOLUTION']);
    expect(JSON.stringify([Labels, Env])).not.toContain('PRIVATE KEY');

    expect(Object.keys(NetworkSettings.Networks)).toEqual([name]);
    expect(onlySet(NetworkSettings.Ports)).toEqual({});
    const network = await docker.getNetwork(name).inspect();
    expect(Object.keys(network.Containers ?? {})).toHaveLength(1);
    expect(network).toMatchObject({
      Driver: 'bridge',
      Scope: 'local',
      EnableIPv6: false,
      Attachable: false,
      Ingress: false,
      Options: { 'com.docker.network.bridge.enable_icc': 'false' },
    });
    report(
      `${Object.keys(set).length} settings, and no other of ${Object.keys(HostConfig).length}`,
    );
  });

  promise(2, 'in /proc/self/status of a program inside', async () => {
    const status = await desktop.run('cat /proc/self/status');
    expect(status).toMatch(/^CapEff:\s+0000000000000000$/m);
    expect(status).toMatch(/^CapBnd:\s+0000000000000000$/m);
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(status).toMatch(/^Seccomp:\s+2$/m);
    expect(await desktop.run('id -u; sudo -n true 2>/dev/null || echo refused')).toBe(
      `${await uidOfDesktop()}\nrefused\n`,
    );
  });
});

describe('from inside a computer', () => {
  const reaches = async (host: string, port: number) =>
    (await desktop.run(
      `timeout 3 bash -c 'exec 3<>/dev/tcp/${host}/${port}' 2>/dev/null && echo yes || echo no`,
    )) === 'yes\n';
  const gateway = async () => (await desktop.run("ip route | awk '/default/ {print $3}'")).trim();

  promise.unless(noNetwork)(
    1,
    'a server on the host is unreachable, also by the gateway address',
    async () => {
      const address = await gateway();
      const listener = spawn(
        'nsenter',
        ['-t', `${enginePid}`, '-n', 'python3', '-m', 'http.server', '18999', '-b', '0.0.0.0'],
        { stdio: 'ignore' },
      );
      try {
        const fetched = async () =>
          (await atEngine('curl', '-s', '-m', '2', `http://${address}:18999/`).catch(
            () => null,
          )) !== null;
        for (let i = 0; i < 50 && !(await fetched()); i++)
          await new Promise((r) => setTimeout(r, 100));
        expect(await fetched(), 'the host itself reaches it').toBe(true);
        expect(await reaches(address, 18999)).toBe(false);
      } finally {
        listener.kill('SIGKILL');
      }
    },
  );

  promise(1, 'the service, the metadata address and private ranges are unreachable', async () => {
    const { port } = new URL(desktop.service.baseUrl);
    for (const [host, number] of [
      [await gateway(), Number(port)],
      ['169.254.169.254', 80],
      ['10.0.0.1', 80],
      ['192.168.0.1', 80],
      ['172.16.0.1', 80],
      ['100.64.0.1', 80],
    ] as const) {
      expect(await reaches(host, number), host).toBe(false);
    }
  });

  promise(1, 'another computer is unreachable', async () => {
    const { json } = await desktop.service.http('POST', '/projects/e2e/computers', {
      name: 'other',
    });
    const other = `/computers/${json.id}/bash`;
    const started = await desktop.service.http('POST', other, {
      command:
        'python3 -m http.server 8000 >/dev/null 2>&1 & for i in $(seq 50); do curl -s localhost:8000 >/dev/null && break; sleep 0.1; done; hostname -I',
    });
    const address = started.json.stdout.trim().split(' ')[0];
    expect(address).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    expect(await reaches(address, 8000)).toBe(false);
    await desktop.service.http('DELETE', `/computers/${json.id}`);
  });

  promise
    .unless(noNetwork)
    .thorough(1, 'another host is reachable by its public address only', async (report) => {
      const name = `vcpub${process.pid}`;
      const [open, closed] = [
        '192.52.193.2',
        ['192.168.213.2', '172.31.213.2', '10.99.213.2', '100.64.213.2', '169.254.169.254'],
      ] as const;
      await execa('ip', ['netns', 'add', name]);
      try {
        await atEngine('ip', 'link', 'add', 'pub0', 'type', 'veth', 'peer', 'name', 'pub1');
        await atEngine('ip', 'link', 'set', 'pub1', 'netns', `/run/netns/${name}`);
        await atEngine('ip', 'link', 'set', 'pub0', 'up');
        const out = (...args: string[]) => execa('ip', ['netns', 'exec', name, ...args]);
        await out('ip', 'link', 'set', 'pub1', 'up');
        for (const address of [open, ...closed]) {
          const near = address.replace(/\d+$/, (last) => String(Number(last) - 1));
          await atEngine('ip', 'addr', 'add', `${near}/24`, 'dev', 'pub0');
          await out('ip', 'addr', 'add', `${address}/24`, 'dev', 'pub1');
        }
        const server = out('python3', '-m', 'http.server', '8080', '-b', '0.0.0.0');
        server.catch(() => undefined);
        try {
          await eventually(async () => reaches(open, 8080), 60_000);
          for (const address of closed) {
            await atEngine('curl', '-sS', '-m', '5', `http://${address}:8080/`);
            expect(await reaches(address, 8080), address).toBe(false);
          }
        } finally {
          server.kill('SIGKILL');
        }
      } finally {
        await atEngine('ip', 'link', 'del', 'pub0').catch(() => undefined);
        await execa('ip', ['netns', 'del', name]);
      }
      report(`${closed.length} addresses that the host reaches and a computer does not`);
    });

  promise(1, "the Engine's socket is not mounted", async () => {
    const found = await desktop.run(
      'ls -d /var/run/docker.sock /run/docker.sock 2>/dev/null; ls /run/vc; true',
    );
    expect(found).not.toContain('docker');
  });
});

promise.thorough(
  1,
  'a hostile guest cannot make the service connect to another socket through a link',
  async () => {
    const target = join(desktop.service.directory, 'own.sock');
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined).end('RFB 003.008\n');
    });
    await new Promise<void>((resolve) => server.listen(target, resolve));
    const { json } = await desktop.service.http('POST', '/projects/e2e/computers', {
      name: 'evil',
    });
    await desktop.service.http('POST', `/computers/${json.id}/bash`, {
      command: `rm -f /run/vc/rfb.sock && ln -s ${target} /run/vc/rfb.sock`,
    });
    await desktop.service.kill('SIGKILL');
    await desktop.service.start();
    const shot = await desktop.service.http('GET', `/computers/${json.id}/screenshot`);
    server.close();
    expect(shot.status).toBe(500);
    expect(connections).toBe(0);
    expect((await desktop.service.http('GET', `/computers/${desktop.id}/screenshot`)).status).toBe(
      200,
    );
    expect((await desktop.service.http('DELETE', `/computers/${json.id}`)).status).toBe(200);
  },
);

promise
  .unless(notRoot)
  .thorough(
    29,
    "a hostile guest cannot fill the host's disk through its socket directory",
    async (report) => {
      const written = async (path: string) =>
        Number((await execa('du', ['--summarize', '--bytes', path])).stdout.split('\t')[0]);
      const state = join(desktop.service.directory, 'state', 'machines');
      const before = await written(state);
      const filled = await desktop.run(
        `head -c 16M /dev/zero > /run/vc/full 2>/dev/null
      for i in $(seq 2000); do mkdir /run/vc/$i || break; done 2>/dev/null
      stat -c %s /run/vc/full; ls /run/vc | wc -l`,
      );
      const [bytes, names] = filled.trim().split('\n').map(Number);
      expect(bytes).toBeLessThanOrEqual(2 ** 20);
      expect(names).toBeLessThan(256);
      expect(await written(state)).toBe(before);

      const path = `/computers/${desktop.id}`;
      expect((await desktop.service.http('GET', `${path}/screenshot`)).status).toBe(200);
      const restarted = await desktop.service.http('POST', `${path}/restart`);
      expect(restarted.json.status).toBe('running');
      expect((await desktop.service.http('GET', `${path}/screenshot`)).status).toBe(200);
      report(`${bytes} bytes and ${names} names at most, in memory`);
    },
  );
