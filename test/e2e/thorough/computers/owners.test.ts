import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { VirtualComputers } from '../../../../src/client/index.js';
import { eventually } from '../../../support/eventually.js';
import { promise } from '../../../support/run/promise.js';
import { outOfBand } from '../../../support/service/out-of-band.js';
import { openTestService, type TestService } from '../../../support/service/service.js';

/** Tests that a deleted owner leaves nothing behind. */
let service: TestService;
beforeAll(async () => {
  service = await openTestService(['--max-running', '4']);
});
// So that nothing of an attempt that failed is left for the next.
afterEach(async () => {
  for (const { name, role } of await service.vc.owners.list()) {
    if (role === 'member') await service.vc.owners.delete(name, { force: true });
  }
});
afterAll(() => service.close());

interface Member {
  readonly name: string;
  readonly id: string;
  readonly vc: VirtualComputers;
  /** Sends a request with the owner's key; undefined if the connection was closed. */
  ask(method: string, path: string, body?: object): Promise<{ status: number } | undefined>;
}

async function makeOwner(): Promise<Member> {
  const name = `owner-${randomBytes(4).toString('hex')}`;
  const { id, key } = await service.vc.owners.create({ name });
  const authorization = `Bearer ${key.key}`;
  const ask: Member['ask'] = (method, path, body) =>
    fetch(`${service.baseUrl}${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch(() => undefined);
  const vc = new VirtualComputers({ baseUrl: service.baseUrl, apiKey: key.key });
  await vc.projects.create('p');
  return { name, id, vc, ask };
}

/** A running computer of the owner. */
async function makeComputer({ vc, ask }: Member): Promise<string> {
  await ask('POST', '/projects/p/computers?wait=0', { name: 'desk' });
  const [computer] = await vc.computers.list('p');
  if (computer === undefined) throw new Error('the computer was not created');
  const handle = vc.computer({ id: computer.id });
  await eventually(async () => {
    const { status, status_reason } = await handle.get();
    if (status === 'error') throw new Error(`no computer: ${status_reason}`);
    return status === 'running';
  }, 600_000);
  return computer.id;
}

/** Waits until the owner, its machines, networks and directories are gone. */
async function expectGone({ name }: Member): Promise<void> {
  await eventually(async () => {
    const owners = await service.vc.owners.list();
    return owners.every((owner) => owner.name !== name);
  }, 120_000);
  await eventually(async () => {
    const { machines, networks, directories } = await outOfBand(service).leftovers();
    return machines.length + networks.length + directories.length === 0;
  }, 60_000);
}

it('deleting an owner ends its commands and connections, and removes its computers', async () => {
  const member = await makeOwner();
  const id = await makeComputer(member);
  const process = await member.vc.computer({ id }).process({ argv: ['sleep', '1000'] });
  const ended = process.exited.then(
    () => 'exited',
    () => 'lost',
  );
  const waiting = member.ask('POST', `/computers/${id}/wait`, { duration: 60 });
  await member.ask('GET', '/me');
  const refused = await service.cli(['owner', 'rm', member.name, '--yes']);
  expect(refused.code).toBe(6);
  expect(refused.stderr).toContain(`vc owner rm ${member.name} --force`);
  const requestedAt = performance.now();
  const removal = service.cli(['owner', 'rm', member.name, '--force', '--yes']);
  expect(await ended).toBe('lost');
  expect(await waiting).toBeUndefined();
  expect(performance.now() - requestedAt).toBeLessThan(30_000);
  expect((await removal).stderr).toBe(`removed owner ${member.name}\n`);
  expect((await member.ask('GET', '/me'))?.status).toBe(401);
  await expectGone(member);
  const entries = await service.vc.owners.audit(member.id);
  expect(entries).toContainEqual(
    expect.objectContaining({ action: 'deleteOwner', computer_id: id, outcome: 'ok' }),
  );
  await member.vc.close();
});

promise(16, 'an owner that is deleted while its computer is created leaves nothing', async () => {
  const member = await makeOwner();
  const creations = ['a', 'b', 'c'].map((name) =>
    member.ask('POST', '/projects/p/computers', { name }),
  );
  await eventually(async () => (await service.vc.owners.get(member.name)).computer_count > 0);
  await Promise.all([
    service.vc.owners.delete(member.name, { force: true }),
    service.vc.owners.delete(member.name, { force: true }),
  ]);
  for (const answer of await Promise.all(creations)) expect(answer?.status).not.toBe(200);
  await expectGone(member);
  await member.vc.close();
});

promise(11, 'a service that is killed while it deletes an owner finishes that', async () => {
  const member = await makeOwner();
  await makeComputer(member);
  const deletion = service.vc.owners.delete(member.name, { force: true }).catch(() => undefined);
  await eventually(async () => {
    const { status } = await service.vc.owners.get(member.name);
    return status === 'deleting';
  });
  await service.kill('SIGKILL');
  await deletion;
  await service.start();
  expect((await member.ask('GET', '/me'))?.status).toBe(401);
  await expectGone(member);
  const [last] = await service.vc.owners.audit(member.id);
  expect(last).toMatchObject({ action: 'deleteOwner', outcome: 'ok' });
  await member.vc.close();
});
