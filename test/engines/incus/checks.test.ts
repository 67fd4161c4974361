import { expect, test } from 'vitest';
import { judgeMembers as judge } from '../../../src/engines/incus/checks/checks.js';
import type { Member } from '../../../src/engines/incus/client/members.js';

const member = (name: string, status = 'Online') => ({
  ...{ server_name: name, status, message: '' },
  url: `https://${name}.example.com:8443`,
});

const judgeMembers = (found: readonly Member[], program: 'lxc' | 'incus' = 'lxc') =>
  judge(
    found,
    found.map(({ url }) => url),
    program,
  );

test('names the member that does not answer, and where it is', () => {
  expect(judgeMembers([member('m1'), member('m2', 'Offline'), member('m3')])).toEqual({
    ...{ status: 'missing', detail: 'm1: Online, m2: Offline, m3: Online' },
    remedy: 'start LXD or Incus on m2 (https://m2.example.com:8443)',
  });
});

test('says how to use an evacuated member again, and that two members are too few', () => {
  expect(judgeMembers([member('m1', 'Evacuated')])).toMatchObject({
    ...{ status: 'ok', remedy: 'lxc cluster restore m1' },
  });
  expect(judgeMembers([member('m1', 'Evacuated')], 'incus')).toMatchObject({
    remedy: 'incus cluster restore m1',
  });
  expect(judgeMembers([member('m1'), member('m2')])).toMatchObject({
    remedy: expect.stringContaining('third'),
  });
  expect(judgeMembers([member('m1')])).toEqual({ status: 'ok', detail: 'm1: Online' });
});

test('names a member that the rules of the network do not have', () => {
  const at = (host: string) => ({ ...member('m2'), url: `https://${host}:8443` });
  const known = [member('m1').url];
  expect(judge([member('m1'), at('8.8.4.4')], known, 'lxc')).toEqual({
    ...{ status: 'missing', detail: 'm2 joined after vc setup: computers may reach it' },
    remedy: 'on a member: vc setup --engine incus',
  });
  expect(judge([member('m1'), at('m2.example.com')], known, 'lxc')).toMatchObject({
    status: 'missing',
  });
  // Closed like every private address.
  expect(judge([member('m1'), at('10.0.0.2')], known, 'lxc')).toMatchObject({ status: 'ok' });
});
