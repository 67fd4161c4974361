import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { Helpers } from '../../../../../src/engines/containers/helper.js';
import { LABEL } from '../../../../../src/engines/containers/ids.js';
import { HostNames } from '../../../../../src/engines/containers/machine/host-names.js';
import { connectDocker } from '../../../../../src/engines/docker/client.js';
import { readySpare } from '../../../../support/docker/spares.js';
import {
  type OwnDesktop,
  openOwnDesktop,
  untilRunning,
} from '../../../../support/service/desktop.js';

let desktop: OwnDesktop;
beforeAll(async () => {
  desktop = await openOwnDesktop(['--max-running', '2', '--spares', '1']);
});
afterAll(() => desktop?.close());

const http = (method: string, path: string, body?: object) =>
  desktop.service.http(method, path, body);

it('a computer of the same shape is a warm machine, with its own identity', async () => {
  const { docker, spare } = await readySpare(desktop.service);
  // Nothing counts it.
  expect((await http('GET', '/computers')).json.computers).toHaveLength(1);
  expect((await http('GET', '/me')).json.running).toBe(1);

  const { json } = await http('POST', '/projects/e2e/computers', { name: 'second' });
  await untilRunning(desktop.service, json.id);
  const container = docker.getContainer(`vc-${json.id}`);
  const { Id, State, Config, NetworkSettings } = await container.inspect();
  expect([Id, State.Paused]).toEqual([spare.Id, false]);
  expect(Object.keys(NetworkSettings.Networks)).toEqual([`vc-${json.id}`]);
  expect(Config.Labels[LABEL.machine]).toBe(json.id);
  // A computer with the name that its container was created with would keep the one of the pool.
  expect(Config.Hostname).toBe(json.id.replace('_', '-'));

  const bash = async (command: string) => {
    const answer = await http('POST', `/computers/${json.id}/bash`, { command });
    expect(answer.json.exit_code, JSON.stringify(answer.json)).toBe(0);
    return answer.json.stdout.trim();
  };
  for (const command of [
    'hostname',
    'id -u',
    'hostname -I',
    'cat /etc/machine-id',
    'cat /var/lib/vc/authorized_keys',
    'cat /var/lib/vc/ssh_host_ed25519_key.pub',
  ]) {
    expect(await bash(command), command).not.toBe((await desktop.run(command)).trim());
  }
  const named = async (name: string) => {
    expect(await bash('hostname; cat /etc/hostname')).toBe(`${name}\n${name}`);
    expect(await bash(`getent hosts ${name}`)).toContain(name);
  };
  await named('second');
  expect((await http('GET', `/computers/${json.id}/screenshot`)).json.success).toBe(true);
  expect((await http('POST', `/computers/${json.id}/click`, { x: 5, y: 5 })).status).toBe(200);

  // A service that is not root on the Engine's host uses a helper.
  const remote = connectDocker({ socketPath: inject('dockerHost').replace('unix://', '') });
  Object.assign(remote.modem, { host: 'elsewhere' });
  const names = new HostNames({
    ...{ docker: remote, helper: new Helpers(remote, 'helps') },
    onProblem: (message) => expect.fail(message),
  });
  names.set(json.id, 'third');
  await names.apply(json.id, Id);
  expect(await bash('hostname; cat /etc/hostname')).toBe('third\nthird');

  // Its container was created with another name.
  await http('POST', `/computers/${json.id}/restart`);
  await untilRunning(desktop.service, json.id);
  await named('second');
  await http('DELETE', `/computers/${json.id}`);
});
