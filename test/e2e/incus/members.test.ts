import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { openTestService } from '../../support/service/service.js';

it('a member is drained and returned over HTTP', async () => {
  // A drain would keep other tests from creating computers.
  const service = await openTestService();
  onTestFinished(() => service.close());
  const call = async (method: string, path: string, body?: object) => {
    const { status, json } = await service.http(method, path, body);
    expect(status, `${method} ${path}: ${JSON.stringify(json)}`).toBe(200);
    return json;
  };
  const [{ name }] = (await call('GET', '/cluster/members')).members;
  const member = () => call('GET', `/cluster/members/${name}`);
  expect(await member()).toMatchObject({ name, status: 'online', drain: null, computer_count: 0 });

  await call('POST', `/cluster/members/${name}/drain`, {});
  await eventually(async () => (await member()).status === 'drained');
  await call('POST', '/projects', { name: 'lab' });
  const asked = { name: 'desk', member: name };
  expect((await service.http('POST', '/projects/lab/computers', asked)).status).toBe(400);

  await call('POST', `/cluster/members/${name}/return`, {});
  expect(await member()).toMatchObject({ status: 'online', drain: null });
});
