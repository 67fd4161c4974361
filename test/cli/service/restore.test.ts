import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeServiceRecord } from '../../../src/cli/service/record.js';
import { openStore } from '../../../src/fleet/store/index.js';
import { identifyProcess } from '../../../src/lib/process/identity.js';
import { openWorld, type World } from '../support/run.js';

let world: World;
let state: string;
beforeEach(async () => {
  world = await openWorld();
  state = join(world.directory, 'state');
  const store = openStore(state);
  store.backup(join(world.directory, 'vc.backup'), '1.2.3');
  store.close();
});
afterEach(() => world.close());

const restore = (...words: string[]) =>
  world.run(['restore', 'vc.backup', ...words], { env: { VC_STATE_DIR: state } });

/** Leaves the record of a service that logs to `log`; it has ended, or this process is it. */
async function record(log: string | null, status: 'ended' | 'running' = 'ended'): Promise<void> {
  const own = await identifyProcess(process.pid);
  if (own === undefined) throw new Error('this test needs /proc');
  await writeServiceRecord(state, {
    process: status === 'running' ? own : { ...own, startTime: own.startTime - 1 },
    ...{ version: '1.2.3', url: world.service.baseUrl, started_at: '2025-01-02T02:04:05.000Z' },
    ...{ log, argv: ['serve'], environment: {} },
  });
}

test('the next step is to start a service, where none was started before', async () => {
  const other = join(world.directory, 'other');
  const { code, stderr } = await restore('--state', other);
  expect(code, stderr).toBe(0);
  expect(stderr).toMatch(/\nnext: vc serve --detach --state \S+other\n$/);
  expect((await restore('--replace')).stderr).toMatch(/\nnext: vc serve --detach\n$/);
});

test('the next step is to start the service of before with its options', async () => {
  await record(join(state, 'serve.log'));
  expect((await restore('--replace')).stderr).toMatch(/\nnext: vc service restart\n$/);
  await record(null);
  expect((await restore('--replace')).stderr).toMatch(/\nnext: vc serve --detach\n$/);
});

test('while a service runs, the error names the command that stops it', async () => {
  await record(null, 'running');
  const store = openStore(state);
  try {
    const refused = await restore('--replace');
    expect(refused).toMatchObject({ code: 6, stdout: '' });
    expect(refused.stderr).toContain('A service runs in');
    expect(refused.stderr).toMatch(/Stop it: vc service stop\n$/);
    const elsewhere = await world.run(
      ['restore', 'vc.backup', '--replace', '--state', state, '--json'],
      { env: { VC_STATE_DIR: '/nonexistent' } },
    );
    expect(elsewhere.stderr).toContain(`Stop it: vc service stop --state ${state}`);
    const { stderr } = await restore();
    expect(stderr).toContain('stop its service (vc service stop), then add --replace');
  } finally {
    store.close();
  }
});
