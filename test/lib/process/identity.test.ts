import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect } from 'vitest';
import {
  currentBootId,
  identifyProcess,
  type ProcessIdentity,
  parseStat,
  processIs,
  signalProcess,
} from '../../../src/lib/process/identity.js';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';

let child: ChildProcess;
let itself: ProcessIdentity;
beforeEach(async () => {
  child = spawn('sleep', ['600'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  const { startTime = 0 } = parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  itself = { pid, startTime, bootId: await currentBootId(), uid: process.getuid?.() ?? 0 };
});
afterEach(() => child.kill('SIGKILL'));

promise(13, 'a reused process id is not taken for the original process', async (report) => {
  expect(await processIs(itself)).toBe(true);
  expect(await identifyProcess(itself.pid)).toEqual(itself);
  const others: ProcessIdentity[] = [
    { ...itself, startTime: itself.startTime - 1 },
    { ...itself, bootId: randomUUID() },
    { ...itself, uid: itself.uid + 1 },
  ];
  for (const other of others) {
    expect(await processIs(other), JSON.stringify(other)).toBe(false);
    expect(await signalProcess(other, 'SIGKILL')).toBe(false);
  }
  expect([child.exitCode, child.signalCode]).toEqual([null, null]);

  const ended = once(child, 'exit');
  expect(await signalProcess(itself, 'SIGKILL')).toBe(true);
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(await processIs(itself)).toBe(false);
  await eventually(async () => (await identifyProcess(itself.pid)) === undefined);
  report('not with another start, boot or user');
});
