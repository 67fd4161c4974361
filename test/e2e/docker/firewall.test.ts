import { spawn } from 'node:child_process';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { LABEL, machineName } from '../../../src/engines/containers/ids.js';
import { tableName } from '../../../src/engines/containers/network/firewall-rules.js';
import { connectDocker } from '../../../src/engines/docker/client.js';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';
import { type OwnDesktop, openOwnDesktop } from '../../support/service/desktop.js';

const PORT = 18_998;
const docker = connectDocker({ socketPath: inject('dockerHost').replace('unix://', '') });
const enginePid = inject('dockerPid');
const notRoot = process.getuid?.() === 0 ? undefined : 'only root can remove the rules';

/** Runs a program in the Engine's network namespace. */
const atEngine = (...command: readonly [string, ...string[]]) => {
  const [program, ...args] = enginePid
    ? (['nsenter', '-t', `${enginePid}`, '-n', ...command] as const)
    : command;
  return execa(program, args);
};

let desktop: OwnDesktop;
let serviceId: string;
beforeAll(async () => {
  desktop = await openOwnDesktop(['--allow-network', '10.0.0.0/8']);
  const { Config } = await docker.getContainer(machineName(desktop.id)).inspect();
  serviceId = Config.Labels[LABEL.service] ?? '';
});
afterAll(async () => {
  await desktop.service.http('DELETE', `/computers/${desktop.id}`);
  await desktop.service.kill('SIGTERM');
  const left = [await firewallContainers(), await hasTable()];
  await desktop.close();
  expect(left, 'the last service leaves neither rules nor their container').toEqual([[], false]);
});

const table = () => ['inet', tableName(serviceId)] as const;
const hasTable = () =>
  atEngine('nft', 'list', 'table', ...table()).then(
    ({ stdout }) => stdout.includes('chain to_host'),
    () => false,
  );
const firewallContainers = () =>
  docker.listContainers({ filters: { label: [`${LABEL.firewall}=${serviceId}`] } });
const reachesHost = async () => {
  const [, gateway = ''] = /via (\S+)/.exec(await desktop.run('ip route show default')) ?? [];
  const attempt = `timeout 3 bash -c 'exec 3<>/dev/tcp/${gateway}/${PORT}' 2>/dev/null && echo yes || echo no`;
  return (await desktop.run(attempt)) === 'yes\n';
};
const engineHealth = async () => (await desktop.service.http('GET', '/health')).json.engines[0];

promise.unless(notRoot)(
  27,
  '--allow-network does not open the host, even if the range includes its address',
  async () => {
    const command = ['python3', '-m', 'http.server', `${PORT}`, '-b', '0.0.0.0'] as const;
    const [program = '', ...args] = enginePid
      ? ['nsenter', '-t', `${enginePid}`, '-n', ...command]
      : command;
    const listener = spawn(program, args, { stdio: 'ignore' });
    try {
      await eventually(
        () =>
          atEngine('curl', '-s', `http://127.0.0.1:${PORT}/`).then(
            () => true,
            () => false,
          ),
        60_000,
      );
      expect(await reachesHost()).toBe(false);
      await atEngine('nft', 'add', 'element', ...table(), 'allowed_hosts', '{ 10.0.0.0/8 }');
      expect(await eventuallyReached(), 'the host listens').toBe(true);
      await eventually(async () => !(await reachesHost()), 60_000);
    } finally {
      listener.kill('SIGKILL');
    }
  },
);

/** Opens the host until it was reached once: the rules are restored within two seconds. */
async function eventuallyReached(): Promise<boolean> {
  for (let attempt = 0; attempt < 60; attempt++) {
    await atEngine('nft', 'add', 'element', ...table(), 'allowed_hosts', '{ 10.0.0.0/8 }').catch(
      () => undefined,
    );
    if (await reachesHost()) return true;
  }
  return false;
}

promise.unless(notRoot)(27, 'a removed table is restored within 10 s', async (report) => {
  await atEngine('nft', 'delete', 'table', ...table());
  const removedAt = Date.now();
  await eventually(hasTable, 60_000);
  report(`restored after ${((Date.now() - removedAt) / 1000).toFixed(1)} s`);
});

promise
  .unless(notRoot)
  .thorough(27, 'no computer starts before the table is restored', async () => {
    await atEngine('nft', 'delete', 'table', ...table());
    const restarted = await desktop.service.http('POST', `/computers/${desktop.id}/restart`);
    expect(restarted.status).toBe(200);
    expect(await hasTable()).toBe(true);
  });

promise.unless(notRoot)(27, 'a removed firewall container is recreated', async () => {
  const [container] = await firewallContainers();
  await docker.getContainer(container?.Id ?? '').remove({ force: true });
  await atEngine('nft', 'delete', 'table', ...table());
  await eventually(
    async () => (await firewallContainers()).length === 1 && (await hasTable()),
    30_000,
  );
  // A probe during the removal is shown for some seconds.
  await eventually(async () => (await engineHealth()).usable, 30_000);
});

promise
  .unless(notRoot)
  .thorough(27, 'the rules remain when the service stops, if a computer is stopped', async () => {
    await desktop.service.http('POST', `/computers/${desktop.id}/stop`);
    await desktop.service.kill('SIGTERM');
    expect(await hasTable()).toBe(true);
    expect(await firewallContainers()).toHaveLength(1);
    await desktop.service.start();
    await desktop.service.http('POST', `/computers/${desktop.id}/start`);
  });

promise
  .unless(notRoot)
  .thorough(27, 'a removed table is restored without the service', async () => {
    await desktop.service.kill('SIGKILL');
    await atEngine('nft', 'delete', 'table', ...table());
    await eventually(hasTable, 60_000);
    await desktop.service.start();
  });

promise.thorough(
  27,
  'a disconnected computer is reconnected to its network at the next start',
  async () => {
    const name = machineName(desktop.id);
    await docker.getNetwork(name).disconnect({ Container: name, Force: true });
    await desktop.service.http('POST', `/computers/${desktop.id}/restart`);
    const { NetworkSettings } = await docker.getContainer(name).inspect();
    expect(Object.keys(NetworkSettings.Networks)).toEqual([name]);
    expect(await desktop.run('ip -4 -o addr show dev eth0')).toContain('10.213.');
  },
);

promise.thorough(15, 'a renamed container is stopped and deleted', async () => {
  const { json } = await desktop.service.http('POST', '/projects/e2e/computers', {
    name: 'renamed',
  });
  const container = docker.getContainer(machineName(json.id));
  const { Id } = await container.inspect();
  await container.rename({ name: `other-${json.id}` });
  const stopped = await desktop.service.http('POST', `/computers/${json.id}/stop`);
  expect(stopped.json).toMatchObject({ status: 'stopped' });
  expect((await docker.getContainer(Id).inspect()).State.Running).toBe(false);
  expect((await desktop.service.http('DELETE', `/computers/${json.id}`)).status).toBe(200);
  await expect(docker.getContainer(Id).inspect()).rejects.toMatchObject({ statusCode: 404 });
});
