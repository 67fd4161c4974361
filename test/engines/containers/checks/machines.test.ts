import { readFileSync } from 'node:fs';
import type Docker from 'dockerode';
import { describe, expect, it } from 'vitest';
import { checkSockets } from '../../../../src/engines/containers/checks/sockets.js';
import { speak } from '../../../../src/engines/containers/dialect.js';
import { dockerDialect } from '../../../../src/engines/docker/client.js';
import { itUnless } from '../../../support/run/needs.js';

interface Container {
  readonly mounts?: readonly { Destination: string }[];
  /** The container's id. */
  readonly id?: string;
}

/** An Engine with these machines; each reports the id of this process. */
function dockerWith(machines: readonly Container[]): Docker {
  const containers = machines.map(({ mounts = [], id = 'c' }, index) => ({
    Id: id,
    State: 'running',
    Mounts: mounts,
    Labels: { 'sh.vc.machine': `m${index}` },
  }));
  const docker = {
    modem: { getSocketPath: async () => '/docker.sock' },
    version: async () => ({ Version: '1', Os: 'linux' }),
    listContainers: async () => containers,
    getContainer: () => ({ inspect: async () => ({ State: { Pid: process.pid } }) }),
  };
  return speak(docker as unknown as Docker, dockerDialect);
}

const signal = () => AbortSignal.timeout(5_000);
const onDisk = { mounts: [{ Destination: '/run/vc' }] };
const notRoot = process.getuid?.() === 0 ? undefined : 'only root sees into containers';

describe('the check of screen sockets', () => {
  const check = (...machines: Container[]) => checkSockets(dockerWith(machines), signal());

  it('reports sockets on the disk', async () => {
    expect(await check(onDisk, {})).toEqual({
      status: 'ok',
      detail: '1 of 2 computers can fill the disk with the state directory',
      remedy: 'create them again with a service that runs as root: m0',
    });
  });

  it('reports sockets in memory', async () => {
    const id = readFileSync('/proc/self/cgroup', 'utf8').trim();
    expect(await check({ id })).toEqual({
      status: 'ok',
      detail: 'in memory, at most 1 MiB for each computer',
    });
    expect(await check()).toMatchObject({ status: 'skipped' });
  });

  itUnless(notRoot)('reports containers in a PID namespace that it cannot see', async () => {
    expect(await check({ id: 'f'.repeat(64) })).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('not visible here'),
      remedy: "run the service in the Engine's PID namespace",
    });
  });
});
