// A client that orval has made, with the configuration in orval.config.cjs: `npx orval`.
import { createProject, deleteProject, listAllComputers } from '../orval/client.js';

const { VC_API_KEY = '' } = process.env;
const options = { headers: { authorization: `Bearer ${VC_API_KEY}` } };

const name = `orval-${process.pid}`;
const created = await createProject({ name }, options);
const computers = await listAllComputers(
  { status: ['running', 'stopped'], label: ['team=qa'] },
  options,
);
const refused = await createProject({ name }, options);
const removed = await deleteProject(name, options);
const result = {
  name: created.status === 200 && created.data.name === name,
  computers: computers.status === 200 && computers.data.computers,
  refused: [refused.status, refused.status === 400 && refused.data.error],
  removed: removed.status === 200 && removed.data.success,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
