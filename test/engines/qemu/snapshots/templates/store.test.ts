import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TemplateStore } from '../../../../../src/engines/qemu/snapshots/templates/store.js';

const keys = ['a'.repeat(24), 'b'.repeat(24)] as const;

let root: string;
let store: TemplateStore;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vc-templates-'));
  store = new TemplateStore(root);
  for (const key of keys) {
    await mkdir(join(root, key));
    await writeFile(join(root, key, 'memory'), key);
  }
});
afterEach(() => rm(root, { recursive: true, force: true }));

const copy = (key: string, owner: string) => store.copyMemoryFor({ key, memory: 'mapped' }, owner);

it('removes the memory of a deleted owner from every template, and nothing else', async () => {
  for (const key of keys) await copy(key, 'usr_1');
  await copy(keys[0], 'usr_2');
  // A copy that is requested at the same time fails, or is removed as well.
  const copying = copy(keys[1], 'usr_1').catch(() => undefined);
  await store.forgetOwner('usr_1');
  await copying;
  expect(await readdir(join(root, keys[0]))).toEqual(['memory', expect.stringMatching(/^memory-/)]);
  expect(await readdir(join(root, keys[1]))).toEqual(['memory']);
  await store.forgetOwner('usr_1');
});

it('makes no more copies for a deleted owner', async () => {
  await store.forgetOwner('usr_1');
  await expect(copy(keys[0], 'usr_1')).rejects.toThrow('its owner was deleted');
  expect(await readdir(join(root, keys[0]))).toEqual(['memory']);
});
