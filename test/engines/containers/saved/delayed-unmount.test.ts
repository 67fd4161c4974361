// @module-tag slow
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { whileUnmountWaits } from '../../../../src/engines/containers/saved/delayed-unmount.js';

const isRoot = process.getuid?.() === 0;

let directory: string;
let files: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vc-unmount-'));
  files = join(directory, 'diff');
  for (const name of ['diff', 'merged']) mkdirSync(join(directory, name));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** What the program that the work has left behind holds open. */
function held(): string[] {
  const found = spawnSync('pgrep', ['--parent', `${process.pid}`, '--exact', 'sleep']);
  const pids = `${found.stdout}`.split('\n').filter((pid) => pid !== '');
  return pids.map((pid) => readlinkSync(`/proc/${pid}/fd/3`));
}

it.runIf(isRoot)(
  'what the Engine has mounted during the work stays open for a moment',
  async () => {
    const mounted = join(directory, 'merged');
    // The shell is as the program that watches over a container, `sleep` as the container.
    const script =
      'sleep 30 & echo $!; read -r _; mount -t tmpfs vc "$0"; sleep 0.3; umount --lazy "$0"; echo; wait';
    const shell = spawn('unshare', ['--mount', 'sh', '-c', script, mounted], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let pid = 0;
    try {
      pid = Number((await once(shell.stdout, 'data'))[0]);
      await whileUnmountWaits(files, pid, async () => {
        expect(held()).toEqual([]);
        shell.stdin.write('\n');
        await once(shell.stdout, 'data');
      });
      // Of a detached mount, the kernel only knows the path in it.
      expect(held()).toEqual(['/']);
      await expect.poll(held, { timeout: 5_000 }).toEqual([]);
    } finally {
      if (pid > 0) process.kill(pid, 'SIGKILL');
      shell.kill('SIGKILL');
    }
  },
);

it('does the work where nothing is mounted, or nothing can be seen', async () => {
  for (const pid of [process.pid, 0]) {
    expect(await whileUnmountWaits(files, pid, async () => 'done')).toBe('done');
  }
  const failing = whileUnmountWaits(files, process.pid, () => Promise.reject(new Error('full')));
  await expect(failing).rejects.toThrow('full');
});
