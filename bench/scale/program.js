/**
 * The service of `bench/scale.js`: `seed DIRECTORY COMPUTERS [running|stopped]` prints a key; `serve
 * DIRECTORY`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateApiKey, generateId } from '../../src/fleet/computers/ids.ts';
import { openStore } from '../../src/fleet/store/index.ts';
import { serve } from '../../src/server/serve.ts';
import { generateKeyPair } from '../../src/shell/keys.ts';
import { IDS_FILE, memberName } from './engine.js';

const PROJECTS = 20;
const MAX_RUNNING = 20_000;

/** Writes the rows of an owner's computers, as a service leaves them. */
function seed(directory, count, status) {
  const store = openStore(directory);
  const apiKey = generateApiKey();
  const first = { name: 'default', role: 'administrator', max_running: null, created_by: null };
  const { owner, key } = store.owners.createOwner(first, apiKey);
  const { publicKey: public_key, privateKey: private_key } = generateKeyPair();
  const shape = {
    ...{ os: 'linux', ram: 2, cpu: 2, gpu: 'none', image: 'linux', engine: 'cluster' },
    ...{ width: 1280, height: 800, auto_stop_minutes: 60, protected: 0 },
    ...{ copy_of: null, copy_runs: 1, member_group: null, created_by: key.id },
    ...{ owner_id: owner.id, private_key, public_key },
  };
  const projects = Array.from({ length: PROJECTS }, (_, i) =>
    store.projects.create(owner.id, `project-${i}`),
  );
  const ids = Array.from({ length: count }, () => generateId('cmp'));
  store.transaction(() => {
    for (const [index, id] of ids.entries()) {
      const { id: project_id } = projects[index % PROJECTS];
      const created_at = new Date(Date.UTC(2026, 0) + index * 1000).toISOString();
      const name = `desktop-${index}`;
      const member = memberName(index);
      const row = { ...shape, id, project_id, name, member, created_at };
      store.computers.insert({ ...row, status: status === 'running' ? 'starting' : status });
      if (status === 'running') store.computers.change(id, 'ready');
    }
  });
  store.close();
  writeFileSync(join(directory, IDS_FILE), JSON.stringify({ status, ids }));
  process.send({ key: apiKey });
  process.disconnect();
}

async function run(stateDirectory) {
  const service = await serve({
    ...{ stateDirectory, engine: 'cluster', engineOptions: {}, logLevel: 'warn' },
    ...{ allowNetworks: [], internet: true, allowPrivateRtmp: false, maxRunning: MAX_RUNNING },
    ...{ listen: { host: '127.0.0.1', port: 0 }, metrics: true },
    ...{ allowedHosts: [], allowedOrigins: [], publishFirstKey: async () => undefined },
  });
  const { user, system } = process.cpuUsage();
  process.send({ url: service.url, processorMs: (user + system) / 1000 });
  const end = async () => {
    await service.close();
    process.exit();
  };
  process.once('SIGTERM', end);
  // The benchmark was ended.
  process.once('disconnect', end);
}

const [, , task, directory, count, status = 'running'] = process.argv;
if (task === 'seed') seed(directory, Number(count), status);
else await run(directory);
