// @module-tag slow
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createNetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createContainerEngine } from '../../../src/engines/containers/engine.js';
import { connectDocker } from '../../../src/engines/docker/client.js';
import type { Engine, MachineSpec, Snapshotting } from '../../../src/engines/engine.js';
import { tarEntry } from '../../../src/engines/tar.js';
import { promise } from '../../support/run/promise.js';

type Answer = [status: number, body?: unknown];

let directory: string;
let server: Server;
let socketPath: string;
let calls: string[];
/** The status that the firewall container reports. */
let firewallStatus: string;
/** The containers that a query by machine label returns. */
let containers: object[];
/** Answers by `METHOD /path`, without a query; 404 for all others. */
let answers: Record<string, Answer | ((response: ServerResponse) => void)>;
let engine: Engine & Snapshotting;
/** The configuration of the machine's container that was created last. */
let created: unknown;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'vc-docker-'));
  socketPath = join(directory, 'docker.sock');
  calls = [];
  firewallStatus = 'ok';
  containers = [container('vc-m1')];
  answers = {
    'GET /info': [200, { NCPU: 2 }],
    'GET /images/json': [200, [image]],
    'POST /containers/helper/start': [204],
    'POST /containers/helper/wait': [200, { StatusCode: 0 }],
    'GET /containers/helper/logs': [200],
    'DELETE /containers/helper': [204],
    'POST /networks/create': [201, { Id: 'n' }],
    'GET /containers/vc-m1/json': [200, createdContainer],
    'GET /containers/c/archive': (response) => void response.end(passwd),
    'PUT /containers/c/archive': [200],
  };
  server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://docker');
    const name = url.searchParams.get('name') ?? '';
    const helper = url.pathname === '/containers/create' && /^vc-(helper|firewall)-/.test(name);
    const call = `${request.method} ${url.pathname}`;
    if (call === 'POST /containers/create' && !helper) {
      text(request).then((body) => {
        created = JSON.parse(body);
      });
    } else request.resume();
    if (helper) return void response.writeHead(201).end('{"Id":"helper"}');
    const labels = url.searchParams.get('filters') ?? '';
    if (/sh\.vc\.(firewall|uid)/.test(labels)) return void response.end('[]');
    if (labels.includes('sh.vc.machine=')) return void response.end(JSON.stringify(containers));
    if (!url.pathname.includes('/helper')) calls.push(call);
    const answer = answers[call] ?? [404, { message: 'No such container: x' }];
    if (typeof answer === 'function') return answer(response);
    const [status, body] = answer;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body === undefined ? '' : JSON.stringify(body));
  });
  server.on('upgrade', (_, socket) => {
    socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n');
    socket.on('data', (data) => {
      for (const line of String(data).trim().split('\n')) {
        const [, policies, name = ''] = /^(policy |keep |names )?(\S*)/.exec(line) ?? [];
        socket.write(frame(`${name} ${policies === undefined ? firewallStatus : 'ok'}\n`));
      }
    });
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  engine = engineAt(socketPath);
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(directory, { recursive: true, force: true });
});

const image = {
  Labels: { 'sh.vc.image': 'linux', 'sh.vc.os': 'linux', 'sh.vc.recipe': 'abc' },
  RepoTags: ['vc/linux:latest'],
  Size: 5,
  Created: 1,
};

/** `inspect` of a container that was created and never started. */
const createdContainer = {
  ...{ Id: 'c', Image: 'sha256:1', State: { Status: 'created' } },
  Config: { Labels: { 'sh.vc.service': 'svc', 'sh.vc.uid': '2010000007' } },
  Mounts: [],
};
const passwd = tarEntry('passwd', 0o644, 0, Buffer.from('user:x:1000:1000::/home/user:/bin/sh\n'));

/** Output in the Engine's attach format. */
function frame(text: string): Buffer {
  const header = Buffer.from([1, 0, 0, 0, 0, 0, 0, Buffer.byteLength(text)]);
  return Buffer.concat([header, Buffer.from(text)]);
}

function container(Id: string, networks = ['vc-m1']) {
  const Networks = Object.fromEntries(networks.map((name) => [name, {}]));
  return { Id, Labels: { 'sh.vc.machine': 'm1' }, Mounts: [], NetworkSettings: { Networks } };
}

const spec: MachineSpec = {
  id: 'm1',
  ownerId: 'o',
  projectId: 'p',
  os: 'linux',
  image: 'linux',
  cpu: 2,
  ram: 2,
  gpu: 'none',
  resolution: { width: 1280, height: 800 },
  authorizedKey: 'ssh-ed25519 AAAA',
  hostName: 'desk',
};

function engineAt(path: string): Engine & Snapshotting {
  return createContainerEngine({
    docker: connectDocker({ socketPath: path }),
    serviceId: 'svc',
    directory: join(directory, 'machines'),
    allowSudo: false,
    internet: true,
    allowNetworks: [],
    networks: () => new Map(),
  });
}

it('a removed container is not_found; the remedy is to list the computers', async () => {
  answers['GET /containers/vc-m1/json'] = [404, { message: 'No such container: vc-m1' }];
  await expect(engine.describe('gone')).rejects.toMatchObject({
    code: 'not_found',
    remedy: 'See: vc ls --all',
  });
});

describe('an unavailable Engine', () => {
  it('is reported with its remedy', async () => {
    const away = engineAt(join(directory, 'none.sock'));
    expect(await away.probe()).toMatchObject({
      usable: false,
      reason: /^no Docker Engine is running/,
      remedy: /vc setup|systemctl start/,
    });
    await expect(away.list()).rejects.toMatchObject({ code: 'engine_unavailable' });
    await expect(away.start('m1')).rejects.toMatchObject({ code: 'engine_unavailable' });
    await expect(away.remove('m1')).rejects.toMatchObject({ code: 'engine_unavailable' });
    await expect(away.dial('m1', 'shell')).rejects.toMatchObject({ code: 'engine_unavailable' });
  });

  it('times out if it accepts a request and never answers', async () => {
    const path = join(directory, 'stuck.sock');
    const stuck = createNetServer(() => undefined);
    await new Promise<void>((resolve) => stuck.listen(path, resolve));
    expect(await engineAt(path).probe()).toMatchObject({ usable: false, reason: /not answer/ });
    const reason = new Error('left');
    const list = engineAt(path).list(AbortSignal.timeout(100));
    await expect(list).rejects.toMatchObject({ name: 'TimeoutError' });
    await expect(engineAt(path).list(AbortSignal.abort(reason))).rejects.toBe(reason);
    stuck.close();
  });

  it('fails a request if it disconnects in the middle of the answer', async () => {
    answers['GET /containers/json'] = (response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('[');
      setTimeout(() => response.destroy(), 50);
    };
    const list = engine.list(AbortSignal.timeout(2_000));
    await expect(list).rejects.toBeDefined();
  });
});

describe('lifecycle', () => {
  it("begins an interrupted creation anew, because the image's files were changed in the container", async () => {
    let exists = true;
    answers['POST /containers/create'] = (response) => {
      response.writeHead(exists ? 409 : 201).end('{"Id":"c","message":"name is in use"}');
    };
    answers['DELETE /containers/c'] = (response) => {
      exists = false;
      response.writeHead(204).end();
    };
    answers['POST /networks/create'] = [409, { message: 'network with name vc-m1 already exists' }];
    answers['GET /networks/vc-m1'] = [200, { Labels: { 'sh.vc.service': 'svc' } }];
    await engine.create(spec);
    const read = calls.indexOf('GET /containers/c/archive');
    expect(read).toBeGreaterThan(calls.indexOf('DELETE /containers/c'));
    expect(calls.indexOf('PUT /containers/c/archive')).toBeGreaterThan(read);
    // Now they are known.
    exists = true;
    calls.length = 0;
    await engine.create(spec);
    expect(calls).toContain('PUT /containers/c/archive');
    expect(calls).not.toContain('DELETE /containers/c');
  });

  describe.runIf(process.getuid?.() === 0)('whose upper directory is on this host', () => {
    let upper: string;
    beforeEach(() => {
      upper = join(directory, 'upper');
      mkdirSync(upper);
      answers['POST /containers/create'] = [201, { Id: 'c' }];
      answers['GET /containers/vc-m1/json'] = [200, { ...createdContainer, ...inspected() }];
      stateMode(2 ** 31 + 0o755);
    });
    const inspected = () => ({ GraphDriver: { Data: { UpperDir: upper } } });
    const stateMode = (mode: number) => {
      const stated = Buffer.from(JSON.stringify({ mode })).toString('base64');
      answers['HEAD /containers/c/archive'] = (response) =>
        void response.writeHead(200, { 'X-Docker-Container-Path-Stat': stated }).end();
    };

    it('gets the files of its user without the Engine, and directories with the usual mode', async () => {
      const mask = process.umask(0o077);
      try {
        await engine.create(spec);
      } finally {
        process.umask(mask);
      }
      expect(calls).not.toContain('PUT /containers/c/archive');
      expect(readFileSync(join(upper, 'etc/passwd'), 'utf8')).toContain('user:x:2010000007:');
      for (const name of ['etc', 'var/lib', 'run/user'])
        expect(statSync(join(upper, name)).mode & 0o777).toBe(0o755);
    });

    it.each<[string, () => void]>([
      ['a directory of the image is a link', () => stateMode(2 ** 27 + 0o777)],
      [
        'the Engine has a user namespace',
        () => {
          answers['GET /info'] = [200, { NCPU: 2, SecurityOptions: ['name=userns'] }];
        },
      ],
      [
        'a volume may have the files',
        () => {
          const container = { ...createdContainer, ...inspected(), Mounts: [{ Type: 'volume' }] };
          answers['GET /containers/vc-m1/json'] = [200, container];
        },
      ],
      [
        'they cannot be written there',
        () => {
          mkdirSync(join(upper, 'etc/passwd/full'), { recursive: true });
        },
      ],
    ])('asks the Engine if %s', async (_, prepare) => {
      prepare();
      await engine.create(spec);
      expect(calls).toContain('PUT /containers/c/archive');
    });
  });

  it.each([
    ['Docker', 409, 'name is in use'],
    ['Podman', 500, 'the container name "vc-m1" is already in use by c'],
  ])('%s: keeps a container that was started before as it is', async (_, status, message) => {
    answers['POST /containers/create'] = [status, { message }];
    const container = { ...createdContainer, State: { Status: 'exited' } };
    answers['GET /containers/vc-m1/json'] = [200, container];
    await engine.create(spec);
    expect(calls).not.toContain('PUT /containers/c/archive');
  });

  it.each(['networks', 'containers'])(
    'an aborted creation ends only after the Engine has answered: %s',
    async (what) => {
      answers['POST /containers/create'] = [201, { Id: 'c' }];
      let answer: () => void = () => undefined;
      const requested = new Promise<void>((resolve) => {
        answers[`POST /${what}/create`] = (response) => {
          answer = () => void response.writeHead(201).end('{"Id":"x"}');
          resolve();
        };
      });
      const abort = new AbortController();
      let ended = false;
      const creation = engine.create(spec, abort.signal).finally(() => {
        ended = true;
      });
      const rejected = expect(creation).rejects.toThrow('deleted');
      await requested;
      abort.abort(new Error('deleted'));
      // Another request is answered; the creation is still pending.
      await engine.probe();
      expect(ended).toBe(false);
      answer();
      await rejected;
    },
  );

  it("does not touch another user's container with the same name", async () => {
    answers['POST /containers/create'] = [409, { message: 'name is in use' }];
    answers['GET /containers/vc-m1/json'] = [200, { Config: { Labels: {} } }];
    await expect(engine.create(spec)).rejects.toThrow('does not belong to this service');
  });

  it('names the missing image and the command that builds it', async () => {
    answers['POST /containers/create'] = [404, { message: 'No such image: vc/linux:latest' }];
    await expect(engine.create(spec)).rejects.toMatchObject({
      code: 'image_missing',
      message: /vc image build linux/,
    });
  });

  it('chooses another subnet if the first is in use', async () => {
    answers['POST /containers/create'] = [201, { Id: 'c' }];
    answers['GET /networks'] = [200, []];
    let refusals = 2;
    answers['POST /networks/create'] = (response) => {
      const status = refusals-- > 0 ? 403 : 201;
      response.writeHead(status).end('{"message":"Pool overlaps with other one"}');
    };
    await engine.create(spec);
    expect(calls.filter((call) => call === 'POST /networks/create')).toHaveLength(3);
  });

  it('starts no machine if the firewall rules cannot be set', async () => {
    firewallStatus = 'failed Operation not supported';
    await expect(engine.start('m1')).rejects.toMatchObject({ code: 'unsupported' });
    expect(calls).not.toContain('POST /containers/vc-m1/start');
  });

  promise(27, 'the firewall rules are checked before every start, for health too', async () => {
    answers['POST /containers/vc-m1/start'] = [304];
    answers['GET /version'] = [200, { Version: '1', Os: 'linux' }];
    await engine.start('m1');
    firewallStatus = 'failed Operation not supported';
    await expect(engine.start('m1')).rejects.toMatchObject({ code: 'unsupported' });
    const reason = expect.stringContaining('firewall');
    expect(await engine.probe()).toMatchObject({ usable: false, reason });
    firewallStatus = 'ok';
    await engine.start('m1');
    expect(await engine.probe()).toMatchObject({ usable: true });
  });

  it('treats starting a running machine and stopping a stopped one as success', async () => {
    answers['POST /containers/vc-m1/start'] = [304];
    await engine.start('m1');
    answers['POST /containers/vc-m1/stop'] = [304];
    await engine.stop('m1', 1_000);
  });

  it('stopping and removing a missing machine succeed, starting it fails', async () => {
    containers = [];
    await engine.stop('m1', 1_000);
    await engine.remove('m1');
    await expect(engine.start('m1')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('recreates a network that was pruned while the machine was stopped', async () => {
    let starts = 0;
    answers['POST /containers/vc-m1/start'] = (response) => {
      if (starts++ > 0) response.writeHead(204).end();
      else response.writeHead(404).end('{"message":"network 0ca7 not found"}');
    };
    answers['POST /networks/vc-m1/connect'] = [200];
    await engine.start('m1');
    expect(calls).toContain('POST /networks/create');
    expect(calls).toContain('POST /networks/vc-m1/connect');
  });

  it('dialling a stopped machine fails with not_running', async () => {
    answers['POST /containers/vc-m1/exec'] = [409, { message: 'Container is not running' }];
    await expect(engine.dial('m1', 'shell')).rejects.toMatchObject({ code: 'not_running' });
    answers['GET /containers/vc-m1/json'] = [200, { State: { Status: 'exited', ExitCode: 0 } }];
    await expect(engine.dial('m1', 'screen')).rejects.toMatchObject({ code: 'not_running' });
  });

  it('finds a renamed container by its label', async () => {
    containers = [container('renamed')];
    answers['POST /containers/renamed/stop'] = [204];
    answers['DELETE /containers/renamed'] = (response) => {
      containers = [];
      response.writeHead(204).end();
    };
    await engine.stop('m1', 1_000);
    await engine.remove('m1');
    expect(calls).toEqual(
      expect.arrayContaining(['POST /containers/renamed/stop', 'DELETE /containers/renamed']),
    );
  });

  it('does not report a machine as removed while the Engine lists it', async () => {
    answers['DELETE /containers/vc-m1'] = [500, { message: 'device is busy' }];
    await expect(engine.remove('m1')).rejects.toThrow('device is busy');
  });

  it('removes a machine whose end the Engine did not see in time', async () => {
    const missed = 'cannot remove - tried to kill container, but did not receive an exit event';
    let attempts = 0;
    answers['DELETE /containers/vc-m1'] = (response) => {
      attempts += 1;
      if (attempts === 1)
        return void response.writeHead(500).end(JSON.stringify({ message: missed }));
      containers = [];
      response.writeHead(204).end();
    };
    await engine.remove('m1');
    expect(attempts).toBe(2);
  });

  it('resets a machine to its first image, with its user and without its old files', async () => {
    containers = [{ ...container('c'), Labels: { 'sh.vc.machine': 'm1', 'sh.vc.uid': '77' } }];
    const old = { Id: 'c', Image: 'sha256:old', State: { Status: 'running' }, Config: {} };
    answers['GET /containers/c/json'] = [200, old];
    const origin = { Id: 'sha256:old', Config: { Labels: {} } };
    answers['POST /images/sha256:old/tag'] = (response) => {
      answers['GET /images/vc-origin/m1:latest/json'] = [200, origin];
      response.writeHead(201).end();
    };
    answers['DELETE /containers/c'] = (response) => {
      containers = [];
      response.writeHead(204).end();
    };
    answers['POST /containers/create'] = [201, { Id: 'c' }];
    await engine.reset(spec);
    const changes = calls.filter((call) => /^(POST|PUT|DELETE)/.test(call));
    // The network and the container are created at the same time.
    expect([...changes.slice(0, 2), ...changes.slice(2).sort()]).toEqual([
      'POST /images/sha256:old/tag',
      'DELETE /containers/c',
      'POST /containers/create',
      'POST /networks/create',
      'PUT /containers/c/archive',
    ]);
    expect(created).toMatchObject({ Image: 'sha256:old', User: '77:77' });
  });

  it('keeps a machine whose saved disk is missing', async () => {
    answers['GET /containers/vc-m1/json'] = [200, { ...createdContainer, Image: 'sha256:old' }];
    answers['GET /images/vc-origin/m1:latest/json'] = [200, { Id: 'i', Config: {} }];
    answers['GET /images/vc-snapshot/s1:latest/json'] = [404, { message: 'No such image: s1' }];
    const from = { id: 's1', kind: 'snapshot' } as const;
    await expect(engine.reset({ ...spec, from })).rejects.toMatchObject({ code: 'not_found' });
    await expect(engine.create({ ...spec, from })).rejects.toMatchObject({ code: 'not_found' });
    expect(calls.filter((call) => /^DELETE|create$/.test(call))).not.toContain(
      'DELETE /containers/vc-m1',
    );
  });

  it("runs a machine as its saved disk's user", async () => {
    const from = { id: 's1', kind: 'image' } as const;
    const Labels = { 'sh.vc.service': 'svc', 'sh.vc.uid': '77', 'sh.vc.owner': 'o' };
    answers['GET /images/vc-image/s1:latest/json'] = [200, { Id: 'i', Config: { Labels } }];
    answers['POST /containers/create'] = [201, { Id: 'c' }];
    await engine.create({ ...spec, from });
    expect(created).toMatchObject({ Image: 'i', User: '77:77' });
    // No file is changed.
    expect(calls).not.toContain('PUT /containers/c/archive');
  });

  it('asks the Engine to remove a few containers at a time', async () => {
    const waiting: ServerResponse[] = [];
    answers['DELETE /containers/vc-m1'] = (response) => void waiting.push(response);
    const removals = Array.from({ length: 40 }, (_, i) => engine.remove(`m${i}`));
    await expect.poll(() => waiting.length).toBe(16);
    await sleep(50);
    expect(waiting.length).toBe(16);
    containers = [];
    answers['DELETE /containers/vc-m1'] = [204];
    for (const response of waiting) response.writeHead(204).end();
    await Promise.all(removals);
  });

  it('repeats a removal after those that wait for their first turn', async () => {
    const waiting: ServerResponse[] = [];
    const fail = (message: string, response?: ServerResponse) =>
      response?.writeHead(500).end(JSON.stringify({ message }));
    answers['DELETE /containers/vc-m1'] = (response) => void waiting.push(response);
    answers['DELETE /containers/stuck'] = (response) =>
      fail('tried to kill container, but did not receive an exit event', response);
    answers['DELETE /containers/new'] = (response) => fail('device is busy', response);
    const others = Array.from({ length: 16 }, (_, i) => engine.remove(`m${i}`));
    const failed = [Promise.allSettled(others)];
    const queue = async (machine: string, Id: string) => {
      containers = [container(Id)];
      failed.push(Promise.allSettled([engine.remove(machine)]));
      // Several later requests are answered: now it waits for its turn.
      await engine.probe();
    };
    await expect.poll(() => waiting.length).toBe(16);
    await queue('m16', 'stuck');
    // Takes the turn when the removal of the other has failed.
    await queue('m17', 'vc-m1');
    containers = [container('stuck')];
    fail('device is busy', waiting.shift());
    await expect.poll(() => waiting.length).toBe(16);
    // The other waits for its second turn by then.
    await sleep(500);
    await queue('m18', 'new');
    containers = [];
    const rest = waiting.splice(0);
    fail('device is busy', rest.shift());
    const removals = () => calls.filter((call) => /stuck|new/.test(call));
    await expect.poll(() => removals().length).toBe(3);
    expect(removals()).toEqual(
      ['stuck', 'new', 'stuck'].map((name) => `DELETE /containers/${name}`),
    );
    for (const response of rest) fail('device is busy', response);
    await Promise.all(failed);
  });

  it('does not let containers that do not end delay other removals for long', async () => {
    const waiting: ServerResponse[] = [];
    answers['DELETE /containers/vc-m1'] = (response) => void waiting.push(response);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const removals = Array.from({ length: 20 }, (_, i) => engine.remove(`m${i}`));
      await vi.waitUntil(() => waiting.length === 16, { timeout: 5_000 });
      await vi.advanceTimersByTimeAsync(5_000);
      expect(waiting.length).toBe(16);
      await vi.advanceTimersByTimeAsync(5_500);
      await vi.waitUntil(() => waiting.length === 20, { timeout: 5_000 });
      vi.useRealTimers();
      containers = [];
      for (const response of waiting) response.writeHead(204).end();
      await Promise.all(removals);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each<[string, [status: number, message: string][]]>([
    ['succeeds', []],
    ['meets another removal', [[409, 'removal of container c is already in progress']]],
    ['is too early', [[500, 'tried to kill container, but did not receive an exit event']]],
  ])('does not count the wait for its turn as time of a removal that %s', async (_, refusals) => {
    const waiting: ServerResponse[] = [];
    answers['DELETE /containers/vc-m1'] = (response) => void waiting.push(response);
    const others = Array.from({ length: 16 }, (_, i) => engine.remove(`m${i}`));
    const othersEnded = Promise.allSettled(others);
    await expect.poll(() => waiting.length).toBe(16);
    const removal = engine.remove('m16');
    // Several later requests are answered: now it waits for its turn.
    await engine.probe();
    const left = [...refusals];
    answers['DELETE /containers/vc-m1'] = (response) => {
      const [status, message] = left.shift() ?? [204];
      if (status === 204) containers = [];
      response.writeHead(status).end(message && JSON.stringify({ message }));
    };
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 61_000);
    const [first, ...rest] = waiting;
    try {
      first?.writeHead(500).end('{"message":"device is busy"}');
      await removal;
      expect(left).toEqual([]);
    } finally {
      clock.mockRestore();
      for (const response of rest) response.writeHead(204).end();
      await othersEnded;
    }
  });

  it('lists the containers again before it says that one is not removed', async () => {
    const now = performance.now.bind(performance);
    let passed = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
    let attempts = 0;
    answers['DELETE /containers/vc-m1'] = (response) => {
      attempts += 1;
      passed = 61_000;
      response.writeHead(409).end('{"message":"removal of container c is already in progress"}');
    };
    try {
      await expect(engine.remove('m1')).rejects.toMatchObject({
        message: /^The Docker Engine does not remove the container: removal of container c/,
        remedy: 'sudo systemctl restart docker',
      });
      expect(attempts).toBe(1);
      passed = 0;
      answers['DELETE /containers/vc-m1'] = (response) => {
        passed = 61_000;
        containers = [];
        response.writeHead(204).end();
      };
      await engine.remove('m1');
    } finally {
      clock.mockRestore();
    }
  });

  it('reconnects a disconnected machine to its network before it starts', async () => {
    containers = [container('c1', [])];
    answers['POST /networks/vc-m1/connect'] = [200];
    answers['POST /containers/c1/start'] = [204];
    await engine.start('m1');
    expect(calls.slice(-2)).toEqual(['POST /networks/vc-m1/connect', 'POST /containers/c1/start']);
  });

  it('refuses an invalid machine id', async () => {
    await expect(engine.start('../x')).rejects.toMatchObject({ code: 'invalid_request' });
    expect(calls).toEqual([]);
  });
});

describe('lists and events', () => {
  it('lists machines by label, with their status', async () => {
    answers['GET /containers/json'] = [
      200,
      [
        { Id: 'a', State: 'running', Status: 'Up', Labels: { 'sh.vc.machine': 'm1' } },
        { Id: 'b', State: 'exited', Status: 'Exited (137) now', Labels: { 'sh.vc.machine': 'm2' } },
        { Id: 'c', State: 'exited', Status: 'Exited (1) now', Labels: { 'sh.vc.machine': 'm3' } },
      ],
    ];
    const State = { Status: 'exited', ExitCode: 137, OOMKilled: true };
    answers['GET /containers/b/json'] = [200, { State }];
    answers['GET /containers/c/json'] = [200, { State: { ...State, ExitCode: 1 } }];
    expect(await engine.list()).toMatchObject([
      { id: 'm1', status: 'running' },
      { id: 'm2', status: 'error', reason: 'It ran out of memory.' },
      { id: 'm3', status: 'error', reason: expect.stringContaining('ran out of memory') },
    ]);
  });

  it('lists only images that still have a tag', async () => {
    answers['GET /images/json'] = [200, [image, { ...image, RepoTags: null }]];
    expect(await engine.images()).toMatchObject([
      { name: 'linux', os: 'linux', recipeHash: 'abc', bytes: 5, createdAt: new Date(1000) },
    ]);
  });

  it('emits events, and fails when the Engine disconnects', async () => {
    answers['GET /containers/x/json'] = [200, { State: { Status: 'running' } }];
    answers['GET /_ping'] = (response) => response.destroy();
    answers['GET /events'] = (response) => {
      const event = (Action: string) => {
        const Actor = { ID: 'x', Attributes: { 'sh.vc.machine': 'm1' } };
        response.write(`${JSON.stringify({ Action, Actor })}\n`);
      };
      event('start');
      event('destroy');
      setTimeout(() => response.destroy(), 100);
    };
    const seen: unknown[] = [];
    const watching = (async () => {
      for await (const event of engine.watch(new AbortController().signal)) seen.push(event);
    })();
    await expect(watching).rejects.toMatchObject({ code: 'engine_unavailable' });
    expect(seen).toEqual([
      { id: 'm1', status: 'running' },
      { id: 'm1', status: 'gone' },
    ]);
  });
});
