import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { asVc, type Intent } from '../../src/dashboard/app/api/commands.js';
import type { Project } from '../../src/dashboard/app/api/types.js';
import {
  clipboardIntent,
  recordIntent,
} from '../../src/dashboard/app/pages/computer/screen/intents.js';
import {
  createProject,
  deleteProject,
  renameProject,
} from '../../src/dashboard/app/pages/projects/intents.js';
import { forkIntent, imageIntent } from '../../src/dashboard/app/pages/snapshots/copies.js';
import { computerIntent } from '../../src/dashboard/app/pages/wall/computer-intent.js';
import { openWorld, type World } from '../cli/support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const desk = { id: 'cmp_1', name: 'desktop', project_name: 'demo' };
const project = { id: 'prj_1', name: '-odd' } as Project;
const options = new FormData();
for (const [name, value] of Object.entries({
  ...{ name: 'desk', project: 'demo', cpu: '2', ram: '4', auto_stop: '5', expires: '3600' },
  ...{ labels: 'team=qa', env: 'A=1', timezone: 'Europe/Berlin', resolution: '1280x800' },
  ...{ os: 'linux', engine: 'qemu', member: 'node1', on_idle: 'delete', protected: 'on' },
  ...{ network: 'example.com', volumes: 'data:/data:ro' },
})) {
  options.set(name, value);
}

/** Copied lines, and the first request that each sends. */
const LINES: readonly [Intent, string][] = [
  [recordIntent(desk, { duration: '30', fps: '15' }), 'GET /computers/desktop/record'],
  [clipboardIntent(desk, '-rf /'), 'PUT /computers/desktop/clipboard'],
  [clipboardIntent(desk, '-'), 'PUT /computers/cmp_1/clipboard'],
  [createProject('-odd'), 'POST /projects'],
  [renameProject(project, 'even'), 'PATCH /projects'],
  [deleteProject(project), 'DELETE /projects'],
  [forkIntent(desk, ['a', 'b'], 'clean'), 'fork'],
  [imageIntent(desk, 'ready'), 'POST /images'],
  [computerIntent(options), 'POST'],
  [{ method: 'PUT', path: '/projects/demo/secrets/A', body: { value: 'x' } }, 'PUT /secrets/A'],
];

it.each(LINES)('%# the command line takes a copied line', async (intent, request) => {
  const { service } = world;
  service.handleOthers((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...desk, success: true, computers: [], projects: [] }));
  });
  // As a shell divides it, and the input that it gives.
  const program = `vc() { printf '%s\\0' "$@"; cat; }\n${asVc(intent)}`;
  // A line with an input of its own does not read this one, which is no failure.
  const { stdout } = spawnSync('/bin/sh', ['-c', program], { input: 'y\n', encoding: 'utf8' });
  const words = stdout.split('\0');
  const [argv, stdin] = [words.slice(0, -1), words.at(-1) ?? ''];
  const { code, stderr } = await world.run(argv, { terminal: stdin === 'y\n', stdin });
  expect(code, stderr).not.toBe(2);
  const sent = service.received.map(({ method, url }) => `${method} ${url}`);
  expect(sent.join('\n')).toContain(request.split(' ').at(-1));
});
