import type Docker from 'dockerode';
import { afterEach, expect, it } from 'vitest';
import { ApiError } from '../../../../src/contract/errors.js';
import { speak } from '../../../../src/engines/containers/dialect.js';
import type { HelperResult } from '../../../../src/engines/containers/helper.js';
import {
  HostNames,
  type HostNamesOptions,
} from '../../../../src/engines/containers/machine/host-names.js';
import {
  ContainerPool,
  type ContainerPoolOptions,
} from '../../../../src/engines/containers/pool/container-pool.js';
import { dockerDialect } from '../../../../src/engines/docker/client.js';
import type { MachineSpec } from '../../../../src/engines/engine.js';
import { eventually } from '../../../support/eventually.js';

/** A pool whose service was killed; `list` answers for the Engine. */
function openPool(markers: readonly string[], list: (id: string) => Promise<object[]>) {
  const removed: string[] = [];
  const problems: string[] = [];
  const asked: string[] = [];
  const options = {
    size: 1,
    markers: { all: async () => [...markers] },
    containers: {
      list: (id: string) => {
        asked.push(id);
        return list(id);
      },
    },
    remove: async (id: string) => void removed.push(id),
    onProblem: (message: string) => void problems.push(message),
  } as unknown as ContainerPoolOptions;
  return { pool: new ContainerPool(options), removed, problems, asked };
}

const never = () => new AbortController().signal;

it('removes what has no container, and goes on after a failure', async () => {
  const { pool, removed, problems } = openPool(['cmp_1', 'cmp_2', 'cmp_3'], async (id) => {
    if (id === 'cmp_1') throw new Error('broken');
    return id === 'cmp_2' ? [{}] : [];
  });
  await pool.removeAbandoned(never());
  expect(removed).toEqual(['cmp_3']);
  expect(problems).toHaveLength(1);
});

it('does not ask an Engine that is away about every computer, nor one after the end', async () => {
  const away = openPool(['cmp_1', 'cmp_2', 'cmp_3'], async () => {
    throw new ApiError('engine_unavailable', 'it did not answer');
  });
  await expect(away.pool.removeAbandoned(never())).rejects.toMatchObject({
    code: 'engine_unavailable',
  });
  expect(away.asked).toEqual(['cmp_1']);
  const stopping = new AbortController();
  const stopped = openPool(['cmp_1', 'cmp_2'], async () => {
    stopping.abort(new Error('the service stops'));
    throw stopping.signal.reason;
  });
  await expect(stopped.pool.removeAbandoned(stopping.signal)).rejects.toThrow('the service stops');
  expect(stopped.asked).toEqual(['cmp_1']);
});

const spec: MachineSpec = {
  ...{ id: 'cmp_0', ownerId: 'o', projectId: 'p', os: 'linux', image: 'linux' },
  ...{ cpu: 1, ram: 0, gpu: 'none', resolution: { width: 800, height: 600 } },
  ...{ authorizedKey: 'ssh-ed25519 AAAA', hostName: 'desk' },
};

/** A pool on an Engine that makes machines at once, and runs `helper` to change host names. */
function openWorking(size: number, helper: () => Promise<HelperResult>) {
  const created: MachineSpec[] = [];
  const removed: string[] = [];
  const problems: string[] = [];
  const prepared: string[] = [];
  const discarded: string[] = [];
  const onProblem = (message: string) => void problems.push(message);
  let made = 0;
  const docker = speak(
    {
      modem: { host: 'elsewhere' },
      getImage: () => ({ inspect: async () => ({ Id: 'sha256:1' }) }),
      getContainer: () => ({
        inspect: async () => ({ Config: { Hostname: 'cmp' }, State: { Running: true, Pid: 1 } }),
        update: async () => undefined,
        pause: async () => undefined,
      }),
    } as unknown as Docker,
    dockerDialect,
  );
  const options = {
    ...{ size, idleMs: 5, docker, onProblem },
    markers: { add: async () => undefined },
    machines: {
      create: async (made: MachineSpec) => void created.push(made),
      start: async () => undefined,
    },
    containers: { id: async (id: string) => `container of ${id}` },
    hostNames: new HostNames({
      docker,
      helper: { run: helper },
      onProblem,
    } as unknown as HostNamesOptions),
    identify: () => {
      made += 1;
      return { id: `cmp_${made}`, publicKey: 'public', privateKey: 'private' };
    },
    prepare: async ({ id }: { id: string }) => void prepared.push(id),
    discard: (id: string) => void discarded.push(id),
    remove: async (id: string) => {
      removed.push(id);
      pool.forget(id);
    },
  } as unknown as ContainerPoolOptions;
  const pool = new ContainerPool(options);
  opened.push(pool);
  /** A computer is created and started without the pool. */
  const start = (more: Partial<MachineSpec> = {}) => {
    pool.claim({ ...spec, ...more });
    pool.started(spec.id);
  };
  return { pool, created, removed, problems, prepared, discarded, start };
}

const opened: ContainerPool[] = [];
afterEach(async () => {
  for (const pool of opened.splice(0)) await pool.close();
});

const FORBIDDEN = { code: 1, output: 'nsenter: setns failed: Operation not permitted' };

it('makes a machine at the next attempt if its host name could not be set once', async () => {
  const answers: (() => HelperResult)[] = [
    () => {
      throw new Error('the Engine was restarted');
    },
    () => ({ code: 137, output: '' }),
  ];
  const { pool, removed, start } = openWorking(1, async () =>
    (answers.shift() ?? (() => ({ code: 0, output: '' })))(),
  );
  start();
  expect(await eventually(() => pool.reserve(spec), 5_000)).toMatchObject({ id: 'cmp_3' });
  expect(removed).toEqual(['cmp_1', 'cmp_2']);
});

it('makes no machine like one with volumes', async () => {
  const { pool, created, start } = openWorking(2, async () => ({ code: 0, output: '' }));
  start({ cpu: 8, volumes: [{ id: 'vol_1', path: '/data', readOnly: false }] });
  start();
  await eventually(() => pool.reserve(spec), 5_000);
  expect(created.map(({ cpu, volumes }) => ({ cpu, volumes }))).toEqual([{ cpu: spec.cpu }]);
});

it('removes the ready machines, and makes no others, once host names are refused', async () => {
  const answers = [{ code: 0, output: '' }];
  const { pool, removed, problems, prepared, discarded, start } = openWorking(
    2,
    async () => answers.shift() ?? FORBIDDEN,
  );
  start();
  await eventually(async () => prepared.length === 1);
  start({ cpu: 2 });
  await eventually(async () => removed.length === 2, 5_000);
  expect(removed).toEqual(['cmp_1', 'cmp_2']);
  expect(discarded).toContain('cmp_1');
  start({ cpu: 3 });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await pool.reserve(spec)).toBeUndefined();
  expect(removed).toHaveLength(2);
  expect(problems).toEqual([
    'No warm machines are made until the service is restarted.',
    expect.stringMatching(/cannot be created: .* change host names: nsenter/),
  ]);
});

it('forgets a reserved machine whose computer is deleted before it is created', async () => {
  const { pool, removed, discarded, start } = openWorking(1, async () => ({ code: 0, output: '' }));
  start();
  const identity = await eventually(() => pool.reserve(spec), 5_000);
  expect(pool.hides(identity.id)).toBe(true);
  // The engine has removed its container.
  pool.forget(identity.id);
  expect(pool.hides(identity.id)).toBe(false);
  expect(discarded).toEqual([identity.id]);
  pool.release(identity.id);
  expect(pool.claim({ ...spec, id: identity.id })).toBe(false);
  expect(removed).toEqual([]);
});

it('keeps the connections of a machine that a computer gets', async () => {
  const { pool, prepared, discarded, start } = openWorking(1, async () => ({
    code: 0,
    output: '',
  }));
  start();
  const { id } = await eventually(() => pool.reserve(spec), 5_000);
  expect(pool.claim({ ...spec, id })).toBe(true);
  pool.forget('cmp_other');
  expect({ prepared, discarded }).toEqual({ prepared: [id], discarded: ['cmp_other'] });
});

it('makes machines of a saved image, until it is removed, and none of a snapshot', async () => {
  const { pool, removed, start } = openWorking(2, async () => ({ code: 0, output: '' }));
  start({ from: { id: 'snp_1', kind: 'snapshot' } });
  const from = { id: 'img_1', kind: 'image' } as const;
  start({ from });
  const first = await eventually(() => pool.reserve({ ...spec, from }), 5_000);
  expect(first).toMatchObject({ id: 'cmp_1' });
  start({ from });
  await eventually(() => Promise.resolve(pool.hides('cmp_2')), 5_000);
  await eventually(async () => {
    await pool.forgetDisk(from.id);
    return removed.includes('cmp_2');
  }, 5_000);
  expect(removed).toEqual(['cmp_2']);
});
