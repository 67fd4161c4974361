// @module-tag slow
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openPrivateLink } from '../../../src/cli/terminal/private-link.js';

const URL_WITH_TICKET = 'http://127.0.0.1:4700/#login=vl_1';
const run = promisify(execFile);
/** Prints the status and where the address leads. */
const VISIT = `fetch(process.argv[1], { redirect: 'manual' })
  .then(({ status, headers }) => console.log(status, headers.get('location')))`;

const onLinux = test.skipIf(process.platform !== 'linux');

onLinux('a program of this user is led to the link', async () => {
  const link = await openPrivateLink(URL_WITH_TICKET);
  try {
    expect(link.address).not.toContain('vl_1');
    const { stdout } = await run(process.execPath, ['-e', VISIT, link.address]);
    expect(stdout).toBe(`302 ${URL_WITH_TICKET}\n`);
    expect(await link.visited).toBe(true);
  } finally {
    link.close();
  }
});

test.skipIf(process.geteuid?.() !== 0)('a program of another user is not', async () => {
  const link = await openPrivateLink(URL_WITH_TICKET);
  try {
    const { stdout } = await run(process.execPath, ['-e', VISIT, link.address], {
      ...{ uid: 65_001, gid: 65_001, cwd: '/' },
    });
    expect(stdout).toBe('403 null\n');
    expect(await link.visited).toBe(false);
  } finally {
    link.close();
  }
});

onLinux('characters that a header cannot have are encoded or left out', async () => {
  const link = await openPrivateLink(`${URL_WITH_TICKET}\r\nx: y\u20ac`);
  try {
    const { stdout } = await run(process.execPath, ['-e', VISIT, link.address]);
    expect(stdout).toBe(`302 ${URL_WITH_TICKET}x:%20y%E2%82%AC\n`);
  } finally {
    link.close();
  }
});

onLinux('another path leads nowhere, and is no visit', async () => {
  const link = await openPrivateLink(URL_WITH_TICKET);
  try {
    const { stdout } = await run(process.execPath, ['-e', VISIT, new URL('/', link.address).href]);
    expect(stdout).toBe('403 null\n');
    expect(await Promise.race([link.visited, 'waits'])).toBe('waits');
  } finally {
    link.close();
  }
});
