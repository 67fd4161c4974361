import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../../../src/contract/errors.js';
import { idMap } from '../../../../src/engines/containers/volumes/mount-script.js';
import {
  idsOfNamespace,
  idsOfUser,
  Volumes,
} from '../../../../src/engines/containers/volumes/volumes.js';
import { connectDocker } from '../../../../src/engines/docker/client.js';

let state: string;
let volumes: Volumes;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'vc-volumes-'));
  volumes = new Volumes(connectDocker({ socketPath: '/nonexistent' }), state);
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

/** Files of a volume as a guest leaves them. */
function plant(id: string): string {
  const files = join(state, 'volumes', id, 'files');
  mkdirSync(files, { recursive: true });
  writeFileSync(join(files, 'file'), Buffer.alloc(100_000));
  return files;
}

describe('owners of files', () => {
  it("are the image's on disk, and those of the machine on the host", () => {
    expect(idMap(idsOfUser(2_010_000_123))).toBe('0 0 1000\n1000 2010000123 1\n1001 1001 64535\n');
    expect(idMap(idsOfNamespace(1_000_065_536))).toBe('0 1000065536 65536\n');
  });
});

describe('a volume', () => {
  it('is removed without what its links point to', async () => {
    const outside = join(state, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'kept'), 'kept');
    const files = plant('vol_1');
    symlinkSync(outside, join(files, 'link'));
    await volumes.remove('vol_1');
    await volumes.remove('vol_1');
    expect(readdirSync(join(state, 'volumes'))).toEqual([]);
    expect(readFileSync(join(outside, 'kept'), 'utf8')).toBe('kept');
  });

  it('is removed by a service that comes after one that was killed meanwhile', async () => {
    plant('vol_1.removed');
    await volumes.remove('vol_1');
    expect(readdirSync(join(state, 'volumes'))).toEqual([]);
  });

  it('is measured without what its links point to', async () => {
    const files = plant('vol_1');
    const before = await volumes.bytes('vol_1');
    expect(before).toBeGreaterThanOrEqual(100_000);
    writeFileSync(join(state, 'large'), Buffer.alloc(5_000_000));
    symlinkSync(join(state, 'large'), join(files, 'link'));
    symlinkSync('/', join(files, 'root'));
    expect(await volumes.bytes('vol_1')).toBeLessThan(before + 100_000);
  });

  it('is named by an id', async () => {
    await expect(volumes.remove('../x')).rejects.toThrow(/not a machine's id/);
    expect(() => volumes.binds('cmp_1', [{ id: '../x', path: '/x', readOnly: false }])).toThrow(
      /not a machine's id/,
    );
  });

  it.each([
    ['with user ids of its own', connectDocker({ socketPath: '/nonexistent' }), true],
    ['on another host', connectDocker({ host: '192.0.2.1', port: 2375 }), false],
  ] as const)('is refused on an Engine %s', async (_, docker, isRemapped) => {
    const error = await new Volumes(docker, state).create('vol_1', isRemapped).catch((e) => e);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'unsupported', message: /no volumes on Docker here/ });
    expect(readdirSync(state)).toEqual([]);
  });
});

describe('a machine', () => {
  it('mounts a directory that is there only while the volume is mounted', () => {
    const mounts = [
      { id: 'vol_1', path: '/data', readOnly: false },
      { id: 'vol_2', path: '/models', readOnly: true },
    ];
    expect(volumes.binds('cmp_1', mounts).map(({ Source, Target }) => [Source, Target])).toEqual([
      [join(state, 'volume-mounts/cmp_1/vol_1/files'), '/data'],
      [join(state, 'volume-mounts/cmp_1/vol_2-ro/files'), '/models'],
    ]);
  });

  it('whose volume is lost does not start', async () => {
    mkdirSync(join(state, 'volume-mounts/cmp_1/vol_1'), { recursive: true });
    await expect(volumes.prepare('cmp_1', async () => idsOfNamespace(7))).rejects.toMatchObject({
      code: 'conflict',
      message: /files of the volume vol_1 are missing/,
    });
    await volumes.prepare('cmp_without', () => Promise.reject(new Error('not asked for')));
  });

  it('leaves nothing, whatever was mounted', async () => {
    mkdirSync(join(state, 'volume-mounts/cmp_1/vol_1'), { recursive: true });
    mkdirSync(join(state, 'volume-mounts/cmp_1/vol_2-ro'), { recursive: true });
    await volumes.release('cmp_1');
    await volumes.release('cmp_1');
    expect(readdirSync(join(state, 'volume-mounts'))).toEqual([]);
  });

  it('gets a clear error from an Engine that does not see the mounts', () => {
    const path = join(state, 'volume-mounts/cmp_1/vol_1/files');
    const error = new Error(`bind source path does not exist: ${path}`);
    expect(volumes.explain(error)).toMatchObject({ code: 'unsupported', cause: error });
    const other = new Error('no such container');
    expect(volumes.explain(other)).toBe(other);
  });
});
