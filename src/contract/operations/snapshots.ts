import { act, look, manage } from '../access/rights.js';
import { Success } from '../primitives.js';
import { ResetComputer } from '../resources/computer-requests.js';
import { Computer } from '../resources/computers.js';
import { CreateSnapshot, Snapshot, SnapshotList } from '../resources/snapshots.js';
import { WaitQuery } from './computers.js';
import { computerPaths, type Operations } from './operation.js';

export const snapshotsOperations = {
  createSnapshot: {
    method: 'POST',
    paths: computerPaths('/snapshots'),
    tag: 'Snapshots',
    summary: 'Save the disk of a computer and, where its engine can, its memory',
    description: 'A running computer runs on. What programs keep in `/tmp` is not saved.',
    access: manage.project,
    audit: 'snapshot create',
    idempotent: true,
    maxSeconds: 600,
    body: CreateSnapshot,
    response: Snapshot,
  },
  listSnapshots: {
    method: 'GET',
    paths: computerPaths('/snapshots'),
    tag: 'Snapshots',
    summary: 'List the snapshots of a computer',
    access: look.project,
    response: SnapshotList,
  },
  deleteSnapshot: {
    method: 'DELETE',
    paths: computerPaths('/snapshots/:snapshot'),
    tag: 'Snapshots',
    summary: 'Delete a snapshot',
    description: 'Snapshots that were made after it stay, and get its parent.',
    access: manage.project,
    audit: 'snapshot rm',
    response: Success,
  },
  resetComputer: {
    method: 'POST',
    paths: computerPaths('/reset'),
    tag: 'Snapshots',
    summary: 'Put a computer back to a snapshot, or to the moment after its creation',
    description:
      'What was done since is lost, and what was running ends. Name, id, keys and address stay. A computer that ran runs again; with the memory of a snapshot it continues where it was.',
    // A key that may use a computer can erase its disk anyway; a test suite resets between tests.
    access: act.project,
    audit: 'reset',
    query: WaitQuery,
    body: ResetComputer,
    response: Computer,
  },
} as const satisfies Operations;
