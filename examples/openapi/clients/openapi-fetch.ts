// A client with types of openapi-typescript:
//
//   npx openapi-typescript openapi.json -o schema.ts --default-non-nullable=false
import createClient from 'openapi-fetch';
import type { paths } from '../schema.js';

const { VC_BASE_URL = 'http://127.0.0.1:4700/api', VC_API_KEY = '' } = process.env;
const client = createClient<paths>({
  baseUrl: VC_BASE_URL,
  headers: { authorization: `Bearer ${VC_API_KEY}` },
});

const name = `fetch-${process.pid}`;
const created = await client.POST('/projects', { body: { name } });
const computers = await client.GET('/computers', {
  params: { query: { status: ['running', 'stopped'], label: ['team=qa'] } },
});
const refused = await client.POST('/projects', { body: { name } });
const removed = await client.DELETE('/projects/{project}', { params: { path: { project: name } } });
const result = {
  name: created.data?.name === name,
  computers: computers.data?.computers,
  refused: [refused.response.status, refused.error?.error],
  removed: removed.data?.success,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
