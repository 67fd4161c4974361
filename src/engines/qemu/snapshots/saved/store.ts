import { lstat, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../../../contract/errors.js';
import type { SavedDisk } from '../../../engine.js';
import { isMachineId } from '../../../machine-id.js';
import {
  ensureDirectory,
  finishRemovals,
  names,
  removeDirectory,
  unlessMissing,
} from '../../disk/files.js';
import { uniqueName } from '../../ids.js';
import { FILES, type Layout } from '../../layout.js';
import { readSavedRecord, type SavedRecord, writeSavedRecord } from './record.js';

const NEW = '.new-';
/** Bytes of a block as `stat` counts them. */
const BLOCK = 512;

/**
 * Saved disks, one directory each: the frozen layers as hard links, the boot files, and the memory of a
 * machine that ran. Machines made from one have links of their own, so it can be removed.
 */
export class SavedStore {
  readonly #layout: Pick<Layout, 'saved' | 'savedDisk'>;
  #cleaned: Promise<void> | undefined;

  constructor(layout: Pick<Layout, 'saved' | 'savedDisk'>) {
    this.#layout = layout;
  }

  of(id: string): string {
    return this.#layout.savedDisk(id);
  }

  find(id: string): Promise<SavedRecord | undefined> {
    return readSavedRecord(this.of(id));
  }

  /** Throws `not_found`. */
  async get(id: string): Promise<SavedRecord> {
    const record = await this.find(id);
    if (record) return record;
    throw new ApiError('not_found', 'The saved disk no longer exists.');
  }

  async list(): Promise<SavedDisk[]> {
    await this.#cleanUp();
    const ids = (await names(this.#layout.saved)).filter(isMachineId);
    const found = await Promise.all(ids.map((id) => this.find(id)));
    const records = found.flatMap((record) => record ?? []);
    records.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    const disks: SavedDisk[] = [];
    const counted = new Set<string>();
    for (const record of records) {
      const { id, kind, machine, memory } = record;
      const bytes = await this.#bytes(record, counted);
      disks.push({ id, kind, machine, bytes, memory: memory !== null });
    }
    return disks;
  }

  /** Has `build` make a saved disk in an empty directory, then stores it. It is complete or absent. */
  async add(id: string, build: (directory: string) => Promise<SavedRecord>): Promise<void> {
    const target = this.of(id);
    await this.#cleanUp();
    const directory = join(this.#layout.saved, NEW + uniqueName());
    await ensureDirectory(directory);
    try {
      await writeSavedRecord(directory, await build(directory));
      // Left by a record that cannot be read.
      await removeDirectory(target);
      await rename(directory, target);
    } finally {
      await removeDirectory(directory);
    }
  }

  /** Idempotent. */
  async remove(id: string): Promise<void> {
    await removeDirectory(this.of(id));
  }

  /** Once, before the first directory of this process: removes those that an earlier service left. */
  #cleanUp(): Promise<void> {
    this.#cleaned ??= this.#removeAbandoned().catch((error) => {
      this.#cleaned = undefined;
      throw error;
    });
    return this.#cleaned;
  }

  async #removeAbandoned(): Promise<void> {
    const { saved } = this.#layout;
    await finishRemovals(saved);
    for (const name of await names(saved)) {
      if (name.startsWith(NEW)) await removeDirectory(join(saved, name));
    }
  }

  /** Its own files, and the layers above the image that no older saved disk has. */
  async #bytes({ id, layers }: SavedRecord, counted: Set<string>): Promise<number> {
    const own = layers.slice(1).filter((layer) => !counted.has(layer));
    for (const layer of own) counted.add(layer);
    const files = [...own, FILES.state, FILES.variables];
    const sizes = files.map((name) => unlessMissing(lstat(join(this.of(id), name))));
    const blocks = (await Promise.all(sizes)).map((stats) => stats?.blocks ?? 0);
    return blocks.reduce((sum, count) => sum + count, 0) * BLOCK;
  }
}
