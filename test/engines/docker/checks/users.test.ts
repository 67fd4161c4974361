import type Docker from 'dockerode';
import { expect, it } from 'vitest';
import { checkUsers } from '../../../../src/engines/docker/checks/users.js';

/** An Engine with these machines: the user id of each, undefined for one of an older version. */
function dockerWith(uids: readonly (string | undefined)[]): Docker {
  const containers = uids.map((uid, index) => ({
    Labels: { 'sh.vc.machine': `m${index}`, ...(uid !== undefined && { 'sh.vc.uid': uid }) },
  }));
  const docker = {
    modem: { getSocketPath: async () => '/docker.sock' },
    version: async () => ({ Version: '1', Os: 'linux' }),
    listContainers: async () => containers,
  };
  return docker as unknown as Docker;
}

const check = (uids: readonly (string | undefined)[]) =>
  checkUsers(dockerWith(uids), AbortSignal.timeout(5_000));

it('finds computers that share the user 1000', async () => {
  expect(await check(['2010000007', undefined])).toEqual({
    status: 'stale',
    detail: '1 of 2 computers are from an older version and run as user 1000 of the host',
    remedy: 'create them again: m1',
  });
  const many = await check(Array.from({ length: 5 }, () => undefined));
  expect(many).toMatchObject({ remedy: 'create them again: m0, m1, m2, …' });
});

it('is content when each has its own', async () => {
  expect(await check(['2010000007'])).toMatchObject({ status: 'ok' });
  expect(await check([])).toMatchObject({ status: 'skipped' });
});
