// @module-tag slow
import type { FileEntry } from 'ssh2';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { openGuest } from '../../shell/support/guest.js';
import { openTestFleet, type TestFleet, wanted } from '../../support/fleet.js';
import { promise } from '../../support/run/promise.js';

const attrs = { mode: 0o040755, uid: 0, gid: 0, size: 0, atime: 0, mtime: 0 };
const ENTRY_EVERY_MS = 10_000;

let test: TestFleet;
beforeEach(async () => {
  test = await openTestFleet();
});
afterEach(async () => {
  vi.useRealTimers();
  await test.close();
});

/** A guest with an endless directory; each entry arrives within its own limit. */
function openSlowGuest() {
  let count = 0;
  return openGuest({
    onFiles(sftp) {
      const entry = (filename: string): FileEntry => ({ filename, longname: '', attrs });
      sftp.on('REALPATH', (id) => sftp.name(id, [entry('/made-up')]));
      sftp.on('STAT', (id) => sftp.attrs(id, attrs));
      sftp.on('OPENDIR', (id) => sftp.handle(id, Buffer.of(1)));
      sftp.on('READDIR', (id) => {
        setTimeout(() => sftp.name(id, [entry(String(++count))]), ENTRY_EVERY_MS);
      });
    },
  });
}

promise(29, 'a listing has a total time limit, besides that of each entry', async (report) => {
  const guest = await openSlowGuest();
  Object.assign(test.connectors, { openShell: async () => guest.shell });
  const { fleet } = test;
  const owner = fleet.apiKeys.authenticate(test.key);
  if (owner === undefined) throw new Error('the key is not known');
  const project = fleet.projects.find(owner, fleet.projects.create(owner, 'demo').id);
  await fleet.computers.create(owner, project, wanted('desktop'), 'ready');
  const computer = fleet.computers.find(owner, { project: 'demo', name: 'desktop' });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let error: unknown;
  fleet.actions
    .ask(computer, (shell, signal) => shell.files.list('.', signal))
    .catch((reason: unknown) => {
      error = reason;
    });
  let seconds = 0;
  for (; error === undefined && seconds < 120; seconds++) await vi.advanceTimersByTimeAsync(1000);
  expect(error).toMatchObject({ code: 'guest_timeout' });
  expect(seconds).toBeLessThanOrEqual(31);
  report(`an endless listing refused after ${seconds} s`);
  guest.close();
});
