import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../src/contract/errors.js';
import { CreateComputer } from '../../../src/contract/resources.js';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import { FakeEngine, FakeVmEngine } from '../../support/fake-engine.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';

let docker: FakeEngine;
let qemu: FakeVmEngine;
let test: TestFleet;
let owner: Owner;

const open = async (preferred: 'docker' | 'qemu' = 'docker') => {
  test = await openTestFleet({ engine: docker, other: qemu, preferred, maxRunning: 9 });
  owner = test.fleet.apiKeys.authenticate(test.key) ?? { id: 'nobody', keyId: 'none' };
  test.fleet.projects.create(owner, 'demo');
};
beforeEach(async () => {
  docker = new FakeEngine();
  qemu = new FakeVmEngine();
  qemu.stored.push({ name: 'toy', os: 'windows', bytes: 1, createdAt: new Date(0) });
  await open();
});
afterEach(() => test.close());

let count = 0;
const create = (asked: object) => {
  count += 1;
  const input = CreateComputer.parse({ name: `c${count}`, ...asked });
  const project = test.fleet.projects.find(owner, 'demo');
  return test.fleet.computers.create(owner, project, input, 'ready');
};
const away = (engine: FakeEngine) => {
  const error = new ApiError('engine_unavailable', 'It does not answer.');
  const remedy = 'start it';
  vi.spyOn(engine, 'images').mockRejectedValue(error);
  vi.spyOn(engine, 'list').mockRejectedValue(error);
  vi.spyOn(engine, 'probe').mockResolvedValue({ usable: false, reason: 'It is away', remedy });
};

describe('a new computer', () => {
  it('runs on the preferred engine, and reports it', async () => {
    expect(await create({})).toMatchObject({ engine: 'docker', isolation: 'container' });
    await test.close();
    await open('qemu');
    expect(await create({})).toMatchObject({ engine: 'qemu', isolation: 'emulated' });
  });

  it('runs on the named engine', async () => {
    expect((await create({ engine: 'qemu' })).engine).toBe('qemu');
    expect((await create({ engine: 'docker' })).engine).toBe('docker');
  });

  it('runs on the engine that has its image, with the operating system of its image', async () => {
    expect(await create({ image: 'toy' })).toMatchObject({ engine: 'qemu', os: 'windows' });
    vi.spyOn(docker, 'images').mockResolvedValue([]);
    expect((await create({})).engine).toBe('qemu');
  });

  it.each([
    [{ engine: 'incus' }, 'unsupported', 'no engine "incus"'],
    [{ engine: 'docker', image: 'toy' }, 'image_missing', 'it has: linux'],
    [{ image: 'none' }, 'image_missing', 'no image "none"'],
    [{ image: 'toy', os: 'linux' }, 'invalid_request', 'is for os "windows"'],
    [{ engine: 'docker', os: 'windows' }, 'unsupported', 'cannot run os "windows"'],
    [{ os: 'windows' }, 'image_missing', 'no image "wine"'],
  ] as const)('%j is refused', async (asked, code, message) => {
    await expect(create(asked)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  it('does not go to another engine while the preferred one is unavailable', async () => {
    away(docker);
    await expect(create({})).rejects.toMatchObject({ code: 'engine_unavailable' });
    expect((await create({ engine: 'qemu' })).engine).toBe('qemu');
  });

  it('gets no unusable engine, even if that has its image', async () => {
    away(qemu);
    await expect(create({ image: 'toy' })).rejects.toMatchObject({ code: 'image_missing' });
  });
});

describe('an unreachable machine', () => {
  it('keeps the status of its computer, and is not removed if no computer owns it', async () => {
    const { id } = await create({ engine: 'docker' });
    const unreachable = (of: string) => ({ id: of, status: 'unreachable' }) as const;
    const list = vi
      .spyOn(docker, 'list')
      .mockResolvedValue([unreachable(id), unreachable('cmp_of_another')]);
    test = await test.restart();
    await vi.waitFor(() => expect(list).toHaveBeenCalled());
    docker.emit(unreachable(id));
    expect(test.fleet.computers.view(id).status).toBe('running');
    expect(docker.calls.filter((call) => call.includes('remove'))).toEqual([]);
  });
});

describe('an unavailable engine', () => {
  it('affects no computer of another', async () => {
    const [one, two] = [await create({ engine: 'docker' }), await create({ engine: 'qemu' })];
    away(docker);
    test = await test.restart();
    qemu.machines.delete(two.id);
    await vi.waitFor(() => {
      qemu.emit({ id: two.id, status: 'gone' });
      expect(test.fleet.computers.view(two.id).status).toBe('error');
    });
    expect(test.fleet.projects.get(owner, 'demo').computers).toMatchObject([
      { id: one.id, status: 'running', engine: 'docker' },
      { id: two.id, engine: 'qemu' },
    ]);
    expect(await test.fleet.probes()).toMatchObject([
      { name: 'docker', usable: false },
      { name: 'qemu', usable: true },
    ]);
  });
});
