// @module-tag slow
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ask, untyped } from '../../../src/engines/containers/client.js';
import { dialectOf } from '../../../src/engines/containers/dialect.js';
import { containerUsage } from '../../../src/engines/containers/machine/container-usage.js';
import { inspectMachine } from '../../../src/engines/containers/machine/status.js';
import {
  inspectContainer,
  listContainers,
  queryImages,
} from '../../../src/engines/containers/requests.js';
import { connectPodman } from '../../../src/engines/podman/client.js';

const dialect = () => dialectOf(connectPodman('/nonexistent'));

it('gives a container host ids of its own, and no option that Podman does not know', () => {
  const { HostConfig, ...config } = dialect().adapt({
    Image: 'vc/linux:latest',
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      CapDrop: ['ALL'],
      CapAdd: [],
      Ulimits: [
        { Name: 'core', Soft: 0, Hard: 0 },
        { Name: 'nofile', Soft: 1, Hard: 1 },
      ],
      Tmpfs: { '/run/vc': 'rw,mode=0700,uid=5,gid=5,size=1048576,nr_inodes=256', '/tmp': 'rw' },
    },
  });
  expect(config).toEqual({ Image: 'vc/linux:latest', OpenStdin: true });
  expect(HostConfig).toEqual({
    UsernsMode: 'auto:size=65536',
    CapDrop: ['ALL'],
    CapAdd: [],
    Ulimits: [
      { Name: 'core', Soft: 0, Hard: 0 },
      { Name: 'nofile', Soft: 16_384, Hard: 16_384 },
      { Name: 'nproc', Soft: 16_384, Hard: 16_384 },
    ],
    Tmpfs: { '/run/vc': 'rw,mode=1777,size=1048576', '/tmp': 'rw' },
    LogConfig: { Type: 'k8s-file', Config: { 'max-size': '1m' } },
  });
});

it('asks for no capability, which every program of the user would get', () => {
  const { HostConfig } = dialect().adapt({
    HostConfig: { CapDrop: ['ALL'], CapAdd: ['CHOWN', 'SETUID', 'AUDIT_WRITE'] },
  });
  expect(HostConfig?.CapAdd).toEqual([]);
  expect(HostConfig?.CapDrop).not.toContain('ALL');
  expect(HostConfig?.CapDrop).not.toContain('CHOWN');
  expect(HostConfig?.CapDrop).toEqual(expect.arrayContaining(['NET_RAW', 'MKNOD', 'SETPCAP']));
});

async function listening(answer: RequestListener) {
  const directory = mkdtempSync(join(tmpdir(), 'vc-podman-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const socket = join(directory, 'podman.sock');
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => void server.close());
  vi.stubEnv('CONTAINER_HOST', `unix://${socket}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  return connectPodman('/nonexistent');
}

/** A Podman that answers the first request and refuses others. */
async function answering() {
  const bodies: unknown[] = [];
  const read = async (request: IncomingMessage) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    return JSON.parse(text);
  };
  const podman = await listening(async (request, response) => {
    bodies.push([request.method, request.url, await read(request)]);
    if (bodies.length === 1) response.end('{}');
    else response.writeHead(409).end('{"message":"network name vc-m1 already used"}');
  });
  return { podman, bodies };
}

it('makes networks without a name server, and reports a conflict', async () => {
  const { podman, bodies } = await answering();
  const spec = { name: 'vc-m1', bridge: 'vcab12', subnet: '10.213.0.4/30', labels: { a: 'b' } };
  const create = () =>
    ask(podman, 5_000, undefined, (signal) =>
      dialectOf(podman).createNetwork(podman, spec, signal),
    );
  await create();
  expect(bodies).toEqual([
    [
      'POST',
      '/v4.3.0/libpod/networks/create',
      {
        name: 'vc-m1',
        driver: 'bridge',
        network_interface: 'vcab12',
        dns_enabled: false,
        subnets: [{ subnet: '10.213.0.4/30' }],
        labels: { a: 'b' },
      },
    ],
  ]);
  await expect(create()).rejects.toThrow(/Podman service refused: .*already used/);
  const small = { ...spec, mtu: 1400 };
  await ask(podman, 5_000, undefined, (signal) =>
    dialectOf(podman).createNetwork(podman, small, signal),
  ).catch(() => undefined);
  expect(bodies.at(-1)).toMatchObject(['POST', expect.anything(), { options: { mtu: '1400' } }]);
});

it('knows that a container is gone which was removed during the request', async () => {
  const message = 'container 0a1b does not exist in database: no such container';
  const podman = await listening((_, response) => {
    response.writeHead(500).end(JSON.stringify({ message }));
  });
  expect(await inspectMachine(podman, '0a1b', 'cmp_1')).toBeUndefined();
});

it('changes limits by its own API, those alone that are given', async () => {
  const { podman, bodies } = await answering();
  const set = (limits: object) =>
    ask(podman, 5_000, undefined, (signal) =>
      dialectOf(podman).setLimits(podman, 'vc-m1', limits, signal),
    );
  await set({ cpus: 4, memory: 2 ** 32 });
  const limits = {
    cpu: { quota: 400_000, period: 100_000 },
    memory: { limit: 2 ** 32, swap: 2 ** 32 },
  };
  expect(bodies).toEqual([['POST', '/v4.3.0/libpod/containers/vc-m1/update', limits]]);
});

it('measures a container by its own API, which reports none that does not run', async () => {
  const paths: unknown[] = [];
  let answer: object = { Error: null, Stats: [{ CPUNano: 2.5e9, MemUsage: 87_302_144 }] };
  const podman = await listening((request, response) => {
    paths.push(request.url);
    response.end(JSON.stringify(answer));
  });
  const measured = () => containerUsage(podman, 'ab12', undefined);
  expect(await measured()).toEqual({ cpuSeconds: 2.5, memoryBytes: 87_302_144 });
  expect(paths).toEqual(['/v4.3.0/libpod/containers/stats?containers=ab12&stream=false']);
  answer = { Error: {}, Stats: null };
  await expect(measured()).rejects.toMatchObject({ code: 'not_running' });
});

it('asks again for a list of images while one of them is removed', async () => {
  let requests = 0;
  const podman = await listening((_, response) => {
    const reason = 'retrieving size of image "ab12": locating image: image not known';
    if (++requests === 1) response.writeHead(500).end(JSON.stringify({ message: reason }));
    else response.end('[]');
  });
  expect(await queryImages(podman, {})).toEqual([]);
  expect(requests).toBe(2);
});

it('completes a removal of a container that every list has failed with for a second, once', async () => {
  const reason = 'getting container from store "ab12": container not known';
  const requests: string[] = [];
  const podman = await listening(({ method, url = '' }, response) => {
    requests.push(`${method} ${url.replace(/\?.*/, '')}`);
    const removals = requests.filter((request) => request.startsWith('DELETE')).length;
    // The list fails once more after the removal, which finds the container gone.
    if (method === 'GET' && removals > 0 && requests.at(-2)?.startsWith('GET')) response.end('[]');
    else response.writeHead(500).end(JSON.stringify({ message: reason }));
  });
  const start = performance.now();
  expect(await listContainers(podman, {})).toEqual([]);
  expect(performance.now() - start).toBeGreaterThan(1_000);
  expect(requests.filter((request) => request.startsWith('DELETE'))).toEqual([
    'DELETE /containers/ab12',
  ]);
});

it('asks again for a container that Podman misses for a moment', async () => {
  let requests = 0;
  const podman = await listening((_, response) => {
    const reason = 'getting container from store "ab12": container not known';
    if (++requests === 1) response.writeHead(500).end(JSON.stringify({ message: reason }));
    else response.end('{"Id":"ab12"}');
  });
  expect(await inspectContainer(podman, 'ab12')).toEqual({ Id: 'ab12' });
  expect(requests).toBe(2);
});

it('names Podman when its service does not run', async () => {
  const podman = connectPodman('/nonexistent');
  const asked = ask(podman, 5_000, undefined, (abortSignal) =>
    untyped(podman).ping({ abortSignal }),
  );
  await expect(asked).rejects.toMatchObject({
    code: 'engine_unavailable',
    message: 'Podman cannot be used: its API service does not run.',
    remedy: 'vc doctor',
  });
});
