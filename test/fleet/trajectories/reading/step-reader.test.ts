import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Entry } from '../../../../src/fleet/trajectories/entry.js';
import { TrajectoryFolder } from '../../../../src/fleet/trajectories/folder.js';
import { StepReader } from '../../../../src/fleet/trajectories/reading/step-reader.js';
import { newlyStored } from '../../../../src/fleet/trajectories/stored.js';

const WANTED = { offset: 0, limit: 100, rights: 'look' } as const;
const STEP = JSON.stringify({ type: 'step', step: 1, action: { action: 'move' } });

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vc-steps-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** A trajectory of one step. */
function trajectoryOf(owner_id: string): Entry {
  const path = join(directory, owner_id);
  mkdirSync(join(path, 'files'), { recursive: true });
  writeFileSync(join(path, 'files/trajectory.jsonl'), `{"type":"trajectory"}\n${STEP}\n`);
  return new Entry(new TrajectoryFolder(path), newlyStored({ id: 'c', owner_id }, null));
}

it('reads a page of an owner after at most two of another one', async () => {
  const [reader, busy, other] = [new StepReader(), trajectoryOf('busy'), trajectoryOf('other')];
  let read = 0;
  const all = Array.from({ length: 64 }, async () => {
    await reader.read(busy, WANTED);
    read += 1;
  });
  const { steps } = await reader.read(other, WANTED);
  expect(steps).toHaveLength(1);
  expect(read).toBeLessThanOrEqual(2);
  await Promise.all(all);
});

it('does not read a page for a client that has left', async () => {
  const [reader, entry] = [new StepReader(), trajectoryOf('owner')];
  const first = reader.read(entry, WANTED);
  const leaving = new AbortController();
  const left = reader.read(entry, WANTED, leaving.signal);
  const last = reader.read(entry, WANTED);
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  expect((await first).steps).toHaveLength(1);
  expect((await last).steps).toHaveLength(1);
});
