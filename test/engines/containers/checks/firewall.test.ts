import type Docker from 'dockerode';
import { expect, it } from 'vitest';
import { checkFirewall } from '../../../../src/engines/containers/checks/checks.js';
import { speak } from '../../../../src/engines/containers/dialect.js';
import { LABEL } from '../../../../src/engines/containers/ids.js';
import { dockerDialect } from '../../../../src/engines/docker/client.js';
import { promise } from '../../../support/run/promise.js';

/** An Engine with a running computer for each service, and firewall containers by their state. */
function dockerWith(services: readonly string[], guards: Readonly<Record<string, string>>): Docker {
  const machines = services.map((service) => ({ Labels: { [LABEL.service]: service } }));
  const kept = Object.entries(guards).map(([service, line]) => ({
    ...{ Id: service, State: line === '' ? 'exited' : 'running' },
    Labels: { [LABEL.firewall]: service },
  }));
  const logs = (id: string) => {
    const text = Buffer.from(`${guards[id]}\n`);
    return Buffer.concat([Buffer.from([1, 0, 0, 0, 0, 0, 0, text.length]), text]);
  };
  const docker = {
    modem: { getSocketPath: async () => '/docker.sock' },
    version: async () => ({ Version: '1', Os: 'linux' }),
    listContainers: async ({ filters }: { filters: { label: string[] } }) =>
      filters.label.includes(LABEL.firewall) ? kept : machines,
    getContainer: (id: string) => ({ logs: async () => logs(id) }),
  };
  return speak(docker as unknown as Docker, dockerDialect);
}

const check = (services: readonly string[], guards: Readonly<Record<string, string>>) =>
  checkFirewall(dockerWith(services, guards), AbortSignal.timeout(5_000));

promise(27, 'vc doctor reports computers whose rules nothing keeps', async () => {
  const nothing = { status: 'missing', detail: 'nothing keeps the rules of 1 of 2 computers' };
  expect(await check(['a', 'b'], { a: '- ok' })).toMatchObject(nothing);
  expect(await check(['a', 'b'], { a: '- ok', b: '' })).toMatchObject(nothing);
});

promise(27, 'vc doctor reports computers whose rules cannot be restored', async () => {
  expect(await check(['a', 'b'], { a: '- ok', b: '- failed not permitted' })).toMatchObject({
    status: 'missing',
    detail: 'computers are cut off, because their rules cannot be restored (not permitted)',
  });
});

it('passes if the rules of every running computer are in force', async () => {
  const inForce = { status: 'ok', detail: 'in force for 2 running' };
  expect(await check(['a', 'b'], { a: '- ok', b: '7-1 ok' })).toEqual(inForce);
  expect(await check([], {})).toMatchObject({ status: 'skipped' });
});
