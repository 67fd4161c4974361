// @module-tag slow
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testOwnUsers } from '../../support/service/own-users.js';

testOwnUsers(async ({ service }, id) => {
  const record = join(service.directory, 'state', 'qemu', 'machines', id, 'machine.json');
  return JSON.parse(await readFile(record, 'utf8')).process.pid;
});
