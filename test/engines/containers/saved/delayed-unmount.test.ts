import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  openMounted,
  whileUnmountWaits,
} from '../../../../src/engines/containers/saved/delayed-unmount.js';

const isRoot = process.getuid?.() === 0;

let directory: string;
let files: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vc-unmount-'));
  files = join(directory, 'diff');
  for (const name of ['diff', 'merged']) mkdirSync(join(directory, name));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it.runIf(isRoot)('keeps what is mounted in the namespace of the parent', async () => {
  // The shell is as the program that watches over a container, `sleep` as the container.
  const script =
    'sleep 30 & echo $!; read -r _; mount -t tmpfs vc "$0"; read -r _; umount --lazy "$0"; echo; wait';
  const words = ['--mount', 'sh', '-c', script, join(directory, 'merged')];
  const shell = spawn('unshare', words, { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    const [pid] = await once(shell.stdout, 'data');
    const opening = openMounted(files, Number(pid), AbortSignal.timeout(5_000));
    shell.stdin.write('\n');
    const opened = await opening;
    const { dev } = await opened.stat();
    expect(dev).not.toBe(statSync(files).dev);
    shell.stdin.write('\n');
    await once(shell.stdout, 'data');
    expect((await opened.stat()).dev).toBe(dev);
    await opened.close();
    process.kill(Number(pid));
  } finally {
    shell.kill('SIGKILL');
  }
});

it('does the work where nothing is mounted, or nothing can be seen', async () => {
  for (const pid of [process.pid, 0]) {
    expect(await whileUnmountWaits(files, pid, async () => 'done')).toBe('done');
  }
  const failing = whileUnmountWaits(files, process.pid, () => Promise.reject(new Error('full')));
  await expect(failing).rejects.toThrow('full');
});
