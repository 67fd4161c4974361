import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import type { ImageInfo } from 'dockerode';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type Dialect,
  type RootfsImage,
  speak,
} from '../../../../src/engines/containers/dialect.js';
import { LABEL } from '../../../../src/engines/containers/ids.js';
import { currentImages, listImages } from '../../../../src/engines/containers/images/list.js';
import { removeImage, removeUntagged } from '../../../../src/engines/containers/images/remove.js';
import { importRootfs } from '../../../../src/engines/containers/images/store.js';
import { dockerDialect } from '../../../../src/engines/docker/client.js';

const HASH = 'a'.repeat(64);
const LINUX = { name: 'linux', os: 'linux', hash: HASH } as const;
const labels = {
  [LABEL.image]: 'linux',
  [LABEL.recipe]: HASH,
  [LABEL.os]: 'linux',
};

/** The part of an Engine that the import uses. */
class FakeEngine {
  images: Partial<ImageInfo>[] = [];
  imports: Record<string, unknown>[] = [];
  failure: Error | null = null;
  /** Ids of images that containers are made from. */
  used: string[] = [];

  get docker(): Docker {
    return this.speaking(dockerDialect);
  }

  speaking(dialect: Dialect): Docker {
    return speak(this as unknown as Docker, dialect);
  }

  readonly modem = {
    host: undefined as string | undefined,
    followProgress: (_stream: unknown, done: (error: Error | null) => void) => done(this.failure),
  };

  async listImages({ filters }: { filters?: { dangling?: string[] } } = {}) {
    const isDangling = ({ RepoTags = [] }: Partial<ImageInfo>) => RepoTags.length === 0;
    return filters?.dangling ? this.images.filter(isDangling) : this.images;
  }

  async importImage(stream: Readable, options: { repo: string; tag: string }) {
    stream.resume();
    return this.createImage({ ...options, fromSrc: '-' });
  }

  async createImage(options: { repo: string; tag: string; fromSrc: string }) {
    this.imports.push(options);
    if (!this.failure) {
      this.images.push(image('sha256:new', [`${options.repo}:${options.tag}`], 2));
    }
    return Readable.from([]);
  }

  async listContainers() {
    return [];
  }

  getImage(id: string) {
    return {
      remove: async ({ force = false } = {}) => {
        if (!force && this.used.includes(id)) throw new Error('it is used by a container');
        for (const image of this.images) {
          image.RepoTags = (image.RepoTags ?? []).filter((tag) => tag !== id);
        }
        this.images = this.images.filter(({ Id }) => Id !== id);
      },
      tag: async ({ repo, tag }: { repo: string; tag: string }) => {
        const name = `${repo}:${tag}`;
        for (const image of this.images) {
          const others = (image.RepoTags ?? []).filter((tag) => tag !== name);
          image.RepoTags = image.Id === id ? [...others, name] : others;
        }
      },
    };
  }
}

const image = (id: string, tags: string[], created: number): Partial<ImageInfo> => ({
  Id: id,
  RepoTags: tags,
  Labels: labels,
  Size: 1,
  Created: created,
});

let directory: string;
let tarball: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vc-import-'));
  tarball = join(directory, 'rootfs.tar');
  await writeFile(tarball, '');
});

afterEach(() => rm(directory, { recursive: true, force: true }));

test('an image is imported once, with its version, `latest` and labels', async () => {
  const engine = new FakeEngine();
  const first = await importRootfs(engine.docker, tarball, LINUX);
  const second = await importRootfs(engine.docker, tarball, LINUX);
  expect(first.tags).toEqual(['vc/linux:aaaaaaaaaaaa', 'vc/linux:latest']);
  expect(second).toEqual(first);
  expect(engine.imports).toHaveLength(1);
  expect(engine.imports[0]?.changes).toContain(`LABEL sh.vc.recipe=${HASH}`);
});

test.each([
  ['Docker is sent the file', dockerDialect, undefined, '-'],
  ['Podman on this host reads the file itself', { readsImports: true }, undefined, 'the file'],
  ['Podman on another host is sent the file', { readsImports: true }, 'example.com', '-'],
])('%s', async (_, differs, host, expected) => {
  const engine = new FakeEngine();
  engine.modem.host = host;
  await importRootfs(engine.speaking({ ...dockerDialect, ...differs }), tarball, LINUX);
  expect(engine.imports[0]?.fromSrc).toBe(expected === '-' ? '-' : tarball);
});

test('an engine imports in a way of its own', async () => {
  const engine = new FakeEngine();
  const own = async ({ config }: RootfsImage) => {
    engine.images.push(image('sha256:own', [], 2));
    expect(config).toMatchObject({ Labels: labels, User: '1000:1000' });
    return 'sha256:own';
  };
  const speaking = engine.speaking({ ...dockerDialect, importRootfs: own });
  const { tags } = await importRootfs(speaking, tarball, LINUX);
  expect(tags).toEqual(['vc/linux:aaaaaaaaaaaa', 'vc/linux:latest']);
  expect(engine.imports).toEqual([]);
});

test('a newer version gets the tag `latest`', async () => {
  const engine = new FakeEngine();
  engine.images = [image('sha256:old', ['vc/linux:bbbbbbbbbbbb', 'vc/linux:latest'], 1)];
  await importRootfs(engine.docker, tarball, LINUX);
  expect((await currentImages(engine.docker)).map(({ id }) => id)).toEqual(['sha256:new']);
  expect(await listImages(engine.docker)).toHaveLength(2);
});

test('an image committed from a computer is not a machine image', async () => {
  const engine = new FakeEngine();
  engine.images = [
    image('sha256:fork', ['someone/fork:1'], 9),
    image('sha256:none', [], Date.now()),
  ];
  expect(await currentImages(engine.docker)).toEqual([]);
  const imported = await importRootfs(engine.docker, tarball, LINUX);
  expect(imported.id).toBe('sha256:new');
});

test('an error in the progress stream fails the import', async () => {
  const engine = new FakeEngine();
  engine.failure = new Error('no space left on device');
  await expect(importRootfs(engine.docker, tarball, LINUX)).rejects.toThrow('no space left');
});

test('an image is labelled with its operating system', async () => {
  const engine = new FakeEngine();
  await importRootfs(engine.docker, tarball, { ...LINUX, os: 'windows' });
  expect(engine.imports[0]?.changes).toContain(`LABEL ${LABEL.os}=windows`);
});

test('an image that lost its tags while a container used it is removed afterwards', async () => {
  const engine = new FakeEngine();
  const tagged = image('sha256:old', ['vc/linux:bbbbbbbbbbbb', 'vc/linux:latest'], 1);
  const committed = { ...image('sha256:own', [], 1), Labels: { ...labels, [LABEL.service]: 's' } };
  const young = image('sha256:young', [], Date.now() / 1000);
  engine.images = [tagged, committed, young];
  engine.used = ['sha256:old'];
  const ids = () => engine.images.map(({ Id }) => Id);
  await removeImage(engine.docker, 'linux');
  expect(tagged.RepoTags).toEqual([]);
  expect(ids()).toEqual(['sha256:old', 'sha256:own', 'sha256:young']);
  engine.used = [];
  await removeUntagged(engine.docker);
  expect(ids()).toEqual(['sha256:own', 'sha256:young']);
});

test('the removal of an image succeeds although an earlier one cannot be removed yet', async () => {
  const engine = new FakeEngine();
  const tagged = image('sha256:old', ['vc/linux:bbbbbbbbbbbb'], 1);
  engine.images = [tagged];
  const { listImages: list } = engine;
  engine.listImages = async (options) => {
    if (options?.filters?.dangling !== undefined) throw new Error('the Engine restarts');
    return list.call(engine, options);
  };
  await removeImage(engine.docker, 'linux');
  expect(tagged.RepoTags).toEqual([]);
});

test('the import of a newer version removes what an earlier one left', async () => {
  const engine = new FakeEngine();
  engine.images = [image('sha256:left', [], 1)];
  await importRootfs(engine.docker, tarball, LINUX);
  expect(engine.images.map(({ Id }) => Id)).toEqual(['sha256:new']);
});
