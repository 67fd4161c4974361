// A client that Hey API has made: `npx openapi-ts -i openapi.json -o hey-api`.

import { client } from '../hey-api/client.gen.js';
import { createProject, deleteProject, listAllComputers } from '../hey-api/index.js';

const { VC_BASE_URL = 'http://127.0.0.1:4700/api', VC_API_KEY = '' } = process.env;
client.setConfig({ baseUrl: VC_BASE_URL, auth: VC_API_KEY });

const name = `hey-${process.pid}`;
const created = await createProject({ body: { name } });
const computers = await listAllComputers({
  query: { status: ['running', 'stopped'], label: ['team=qa'] },
});
const refused = await createProject({ body: { name } });
const removed = await deleteProject({ path: { project: name } });
const result = {
  name: created.data?.name === name,
  computers: computers.data?.computers,
  refused: [refused.response?.status, refused.error?.error],
  removed: removed.data?.success,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
