import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateKeyPair } from '../../../../src/shell/keys.js';
import { makeSshDisk, SSH_USER } from '../../../support/qemu/ssh-disk.js';
import { untilRunning } from '../../../support/service/desktop.js';
import { type Json, openTestService, type TestService } from '../../../support/service/service.js';

let service: TestService;
let lab: Json;
beforeAll(async () => {
  service = await openTestService();
  const { publicKey, privateKey } = generateKeyPair();
  const [disk, key] = ['disk.img', 'key'].map((name) => join(service.directory, name));
  await makeSshDisk(disk ?? '', publicKey);
  writeFileSync(key ?? '', privateKey, { mode: 0o600 });
  const login = ['--ssh-user', SSH_USER, '--ssh-key', key ?? ''];
  const imported = await service.cli(['image', 'import', 'lab', disk ?? '', ...login]);
  expect(imported.code, imported.stderr).toBe(0);
  await service.vc.projects.create('own');
  const created = await http('POST', '/projects/own/computers', { name: 'lab', image: 'lab' });
  expect(created.status, JSON.stringify(created.json)).toBe(200);
  lab = created.json;
  await untilRunning(service, lab.id);
});
afterAll(() => service?.close());

const http = (method: string, path: string, body?: object) => service.http(method, path, body);
const bash = async (command: string, rest: object = {}): Promise<Json> =>
  (await http('POST', `/computers/${lab.id}/bash`, { command, ...rest })).json;

it('runs commands as the imported user', async () => {
  expect(await bash('whoami; hostname; pwd')).toMatchObject({
    exit_code: 0,
    stdout: `${SSH_USER}\nlab\n/home/${SSH_USER}\n`,
  });
  expect(await bash('echo é >&2; exit 3', { cwd: '/tmp' })).toMatchObject({
    exit_code: 3,
    stderr: 'é\n',
  });
  const { code, stdout } = await service.cli(['computer', 'exec', 'own/lab', '--', 'uname', '-s']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Linux\n' });
});

it('kills a command at its time-out, with its children', async () => {
  const { timed_out: timedOut } = await bash('sleep 987 & sleep 987', { timeout: 1 });
  expect(timedOut).toBe(true);
  expect(await bash('ps | grep -c "[s]leep 987"')).toMatchObject({ stdout: '0\n' });
});

it('copies files both ways', async () => {
  const [up, down] = ['up', 'down'].map((name) => join(service.directory, name));
  const content = randomBytes(3 << 20);
  writeFileSync(up ?? '', content);
  const sent = await service.cli(['computer', 'cp', up ?? '', 'own/lab:sent']);
  expect(sent.code, sent.stderr).toBe(0);
  const got = await service.cli(['computer', 'cp', 'own/lab:sent', down ?? '']);
  expect(got.code, got.stderr).toBe(0);
  expect(readFileSync(down ?? '').equals(content)).toBe(true);
});

it('shows its screen and is removed', async () => {
  const { json } = await http('GET', `/computers/${lab.id}/screenshot`);
  expect(json.success).toBe(true);
  expect((await http('DELETE', `/computers/${lab.id}`)).status).toBe(200);
});
