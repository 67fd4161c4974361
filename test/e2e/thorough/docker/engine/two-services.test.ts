import { execa } from 'execa';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { LABEL, machineName } from '../../../../../src/engines/containers/ids.js';
import { tableName } from '../../../../../src/engines/containers/network/firewall-rules.js';
import { connectDocker } from '../../../../../src/engines/docker/client.js';
import { eventually } from '../../../../support/eventually.js';
import { promise } from '../../../../support/run/promise.js';
import {
  type OwnDesktop,
  openOwnDesktop,
  untilRunning,
} from '../../../../support/service/desktop.js';
import { openTestService, type TestService } from '../../../../support/service/service.js';

const docker = connectDocker({ socketPath: inject('dockerHost').replace('unix://', '') });
const enginePid = inject('dockerPid');
const notRoot = process.getuid?.() === 0 ? undefined : 'only root can read the rules';

let desktop: OwnDesktop;
let serviceId: string;
beforeAll(async () => {
  desktop = await openOwnDesktop();
  const { Config } = await docker.getContainer(machineName(desktop.id)).inspect();
  serviceId = Config.Labels[LABEL.service] ?? '';
});
afterAll(() => desktop.close());

const nft = async (...args: string[]) => {
  const inside = enginePid ? ['nsenter', '-t', `${enginePid}`, '-n', 'nft'] : ['nft'];
  const [program = '', ...rest] = [...inside, ...args];
  return (await execa(program, rest)).stdout;
};
const hasTable = async (id: string) =>
  (await nft('list', 'tables')).includes(`table inet ${tableName(id)}`);
const guards = async (id: string) => {
  const filters = { label: [`${LABEL.firewall}=${id}`] };
  return (await docker.listContainers({ all: true, filters })).map(({ Id }) => Id);
};
/** The container, network, rules and guard of the desktop's service. */
async function everything() {
  const { Id, State } = await docker.getContainer(machineName(desktop.id)).inspect();
  const network = await docker.getNetwork(machineName(desktop.id)).inspect();
  const rules = await nft('-s', 'list', 'table', 'inet', tableName(serviceId));
  return {
    ...{ Id, pid: State.Pid, network: network.Id, guards: await guards(serviceId) },
    rules: rules.replace(/set recent \{[\s\S]*?\n\t\}/, ''),
  };
}

/** Creates a computer with a service, removes it, and kills the service. Returns its id. */
async function usedAndKilled(service: TestService): Promise<string> {
  await service.vc.projects.create('e2e');
  const { json } = await service.http('POST', '/projects/e2e/computers', { name: 'brief' });
  await untilRunning(service, json.id);
  const { Config } = await docker.getContainer(machineName(json.id)).inspect();
  await service.http('DELETE', `/computers/${json.id}`);
  await service.kill('SIGKILL');
  return Config.Labels[LABEL.service] ?? '';
}

promise.unless(notRoot)(
  27,
  'the rules of a killed service go with the next start of another, and no others',
  async (report) => {
    const before = await everything();
    const killed = await openTestService();
    let next: TestService | undefined;
    try {
      const killedId = await usedAndKilled(killed);
      expect([await hasTable(killedId), (await guards(killedId)).length]).toEqual([true, 1]);
      const doctor = await killed.cli(['doctor', '--json']);
      const { checks } = JSON.parse(doctor.stdout);
      const check = checks.find(({ name }: { name: string }) => name === 'docker-abandoned-rules');
      // Services that other tests have killed may be listed as well.
      expect(check).toMatchObject({
        status: 'stale',
        detail: expect.stringContaining(tableName(killedId)),
      });
      const began = Date.now();
      next = await openTestService();
      await eventually(
        async () => !(await hasTable(killedId)) && (await guards(killedId)).length === 0,
        30_000,
      );
      report(`removed ${((Date.now() - began) / 1000).toFixed(1)} s after a start`);
      // Neither lists the computers of the other.
      expect((await next.http('GET', '/projects')).json.projects).toEqual([]);
      await next.kill('SIGTERM');
      expect(await everything()).toEqual(before);
      expect(await desktop.run('echo works')).toBe('works\n');
    } finally {
      await Promise.all([killed.close(), next?.close()]);
    }
    expect(await everything()).toEqual(before);
  },
);
