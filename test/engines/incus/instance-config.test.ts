import { expect, test } from 'vitest';
import type { MachineSpec } from '../../../src/engines/engine.js';
import { type ServerInfo, serverConfig } from '../../../src/engines/incus/client/facts.js';
import { labelOf } from '../../../src/engines/incus/ids.js';
import {
  instanceOf,
  type Surroundings,
} from '../../../src/engines/incus/machine/instance-config.js';

const spec: MachineSpec = {
  ...{ id: 'cmp_b', ownerId: 'usr_1', projectId: 'prj_1', os: 'linux', image: 'linux' },
  ...{ cpu: 1, ram: 2, gpu: 'none', resolution: { width: 800, height: 600 } },
  ...{ authorizedKey: 'ssh-ed25519 b', hostName: 'b' },
  label: { owner: 'usr_1', name: 'né 名', signature: 'signed' },
};
const around: Surroundings = {
  ...{ serviceId: 'srv_1', allowSudo: false, pool: 'vc', diskGib: 64, network: undefined },
  serverConfig: {},
};

test('a label is stored beside what the engine itself needs, which it cannot replace', () => {
  const label = { ...spec.label, service: 'srv_2', id: 'cmp_c', project: 'prj_2' };
  const { config } = instanceOf({ ...spec, label }, around);
  expect(config).toMatchObject({
    ...{ 'user.vc.service': 'srv_1', 'user.vc.id': 'cmp_b', 'user.vc.project': 'prj_1' },
    ...{ 'user.vc.name': 'né 名', 'user.vc.signature': 'signed' },
  });
  expect(labelOf(config)).toMatchObject({ owner: 'usr_1', name: 'né 名', signature: 'signed' });
  expect(Object.keys(labelOf(config))).not.toContain('id');
});

test('a copy names everything that is its own, and gets no network from its original', () => {
  const made = instanceOf(spec, around);
  const copy = instanceOf(spec, around, { type: 'copy', source: 'vc-cmp-a' });
  expect(copy.source).toEqual({ type: 'copy', source: 'vc-cmp-a', instance_only: true });
  expect(copy.config).toEqual(made.config);
  expect(made.devices).not.toHaveProperty('eth0');
  expect(copy.devices).toMatchObject({ root: made.devices.root, eth0: { type: 'none' } });
});

test('Incus gets no key that it refuses in a restricted project, and guests have no API on either', () => {
  const configOn = (server: string) => {
    const info: ServerInfo = { auth: 'trusted', api_extensions: [], environment: { server } };
    return instanceOf(spec, { ...around, serverConfig: serverConfig(info) }).config;
  };
  const lxd = configOn('lxd');
  expect(lxd).toMatchObject({ 'security.devlxd': 'false', 'limits.memory.swap': 'false' });
  const incus = configOn('incus');
  expect(incus).toMatchObject({ 'security.guestapi': 'false', 'limits.memory': '2GiB' });
  expect(Object.keys(incus)).not.toContain('limits.memory.swap');
  expect(Object.keys(incus)).not.toContain('security.devlxd');
});

test('volumes are devices, and the first process learns their paths', () => {
  const volumes = [
    { id: 'vol_a', path: '/data', readOnly: false },
    { id: 'vol_b', path: '/models', readOnly: true },
  ];
  const { config, devices } = instanceOf({ ...spec, volumes }, around);
  expect(devices).toMatchObject({
    'vc-vol-a': { type: 'disk', pool: 'vc', source: 'vc-vol-a', path: '/data' },
    'vc-vol-b': { type: 'disk', pool: 'vc', source: 'vc-vol-b', path: '/models', readonly: 'true' },
  });
  expect(config['environment.VC_VOLUMES']).toBe('rw:/data ro:/models');
  expect(instanceOf(spec, around).config['environment.VC_VOLUMES']).toBe('');
});
