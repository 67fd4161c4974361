import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { checkInotify, limitInotify } from '../../../src/engines/podman/inotify.js';
import { itUnless } from '../../support/run/needs.js';

const notRoot = process.getuid?.() === 0 ? undefined : 'only root enters a user namespace';

itUnless(notRoot)('limits the inotify instances of a user namespace', async () => {
  const words = ['--user', 'sh', '-c', 'echo ready; exec sleep 60'];
  const holder = spawn('unshare', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(createInterface({ input: holder.stdout }), 'line');
  // As Podman does: its root is another user of the host.
  for (const map of ['uid_map', 'gid_map']) {
    writeFileSync(`/proc/${holder.pid}/${map}`, '0 1000000 65536');
  }
  await limitInotify(holder.pid ?? 0, new AbortController().signal);
  const setting = '/proc/sys/user/max_inotify_instances';
  const inside = ['-t', `${holder.pid}`, '-U', 'cat', setting];
  expect(['48', '128']).toContain((await execa('nsenter', inside)).stdout);
});

it('says how to raise the limit of a host that allows few', async () => {
  const { status, detail } = await checkInotify();
  expect(status).toBe('ok');
  expect(detail).toMatch(/^fs\.inotify\.max_user_instances is \d+/);
});
