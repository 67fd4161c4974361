import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { computer, openWorld, project, type World } from '../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const write = (text: string) => writeFileSync(join(world.directory, 'computers.yaml'), text);
const asked = () =>
  world.service.received.map(({ method, url }) => `${method} ${url.replace(/^\/api/, '')}`);

/** A project with computers that `vc up` made of another file. */
function existing(...names: readonly string[]): void {
  const computers = names.map((name) => ({
    ...{ ...computer, name, id: `cmp_${name}`, env_names: [] },
    labels: { 'vc.up': name, 'vc.config': 'other' },
  }));
  world.service.on('GET /projects/demo', { ...project, computers });
}

it('refuses a file of 10 MB', async () => {
  write('#'.repeat(10_000_000));
  const { code, stderr } = await world.run(['up']);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: /larger than 1 MiB/ });
  expect(asked()).toEqual([]);
});

it('says that the limit is too low before it changes anything', async () => {
  write('name: demo\ncomputers: {web: {count: 3}}');
  existing();
  world.service.on('GET /me', { running: 1, max_running: 3 });
  const { code, stderr } = await world.run(['up']);
  expect(code).toBe(6);
  expect(stderr).toMatch(/needs 3 more running computers: 1 computer of at most 3 would become 4/);
  expect(asked()).toEqual(['GET /projects/demo', 'GET /me']);
});

it('names a secret that is missing', async () => {
  write('name: demo\nsecrets: [PASSWORD]\ncomputers: {}');
  existing();
  world.service.on('GET /projects/demo/secrets', { secrets: [] });
  const { code, stderr } = await world.run(['up']);
  expect(code).toBe(6);
  expect(stderr).toMatch(/has no secret PASSWORD.*\n.*vc secret set PASSWORD -p demo/);
});

it('without its options makes no computer again and removes none, but updates what it can', async () => {
  write('name: demo\ncomputers: {web: {image: wine, labels: {x: 1}}}');
  existing('web', 'old');
  const pending = { project_name: 'demo', name: 'web', pending: ['ram'] };
  world.service.on('PATCH /computers/cmp_web', { ...computer, ...pending });
  const { code, stderr } = await world.run(['up']);
  expect(code).toBe(3);
  expect(stderr.split('\n').sort()).toEqual([
    '',
    'kept demo/old, which is not in computers.yaml; to remove it: vc up --remove-orphans',
    'kept demo/web, which differs (image); to recreate it with an empty disk: vc up --recreate',
    'ram changes at the next start: vc restart demo/web',
    'updated demo/web (labels)',
  ]);
  expect(asked()).toEqual(['GET /projects/demo', 'PATCH /computers/cmp_web']);
});

const data = { name: 'data', engine: 'docker', bytes: 0, used_by: 0, created_at: '' };
const withVolumes = `name: demo
volumes:
  data:
  models: {engine: docker}
computers: {web: {volumes: ["data:/data", "models:/models:ro"]}}`;

it('creates the volumes that are missing before the computers', async () => {
  write(withVolumes);
  existing();
  world.service.on('GET /me', { running: 0, max_running: 2 });
  world.service.on('GET /volumes', { volumes: [data] });
  world.service.on('POST /volumes', { ...data, name: 'models' });
  world.service.on('POST /projects/demo/computers', computer);
  expect((await world.run(['diff'])).stdout).toBe(
    'would create volume models\nwould create demo/web\n',
  );
  const { code, stderr } = await world.run(['up']);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: 'created volume models\ncreated demo/web\n',
  });
  const [made, created] = world.service.received.slice(-2).map(({ body }) => body);
  expect(made).toEqual({ name: 'models', engine: 'docker' });
  expect(created).toMatchObject({
    volumes: [
      { name: 'data', path: '/data', read_only: false },
      { name: 'models', path: '/models', read_only: true },
    ],
  });
});

it('refuses a volume that is on another engine than the file says', async () => {
  write(withVolumes);
  existing();
  world.service.on('GET /volumes', { volumes: [{ ...data, name: 'models', engine: 'podman' }] });
  const { code, stderr } = await world.run(['up']);
  expect(code).toBe(6);
  expect(stderr).toContain('volume models is on podman, and computers.yaml says docker');
  expect(asked()).toEqual(['GET /projects/demo', 'GET /volumes']);
});

it('asks before it loses a disk', async () => {
  write('name: demo\ncomputers: {web: {sudo: false}}');
  existing('web');
  const { code, stderr } = await world.run(['up', '--recreate']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/cannot ask for confirmation/);
  expect(asked()).toEqual(['GET /projects/demo']);
});

it('removes first, and creates a computer after those that it depends on', async () => {
  write('name: demo\ncomputers: {a: {depends_on: [b]}, b: {}}');
  existing('old');
  world.service.on('GET /me', { running: 1, max_running: 2 });
  world.service.on('DELETE /computers/cmp_old', { success: true });
  world.service.on('POST /projects/demo/computers', computer);
  const { code, stderr } = await world.run(['up', '--remove-orphans', '--yes']);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: 'removed demo/old\ncreated demo/b\ncreated demo/a\n',
  });
  const bodies = world.service.received.map(({ body }) => (body as { name?: string })?.name);
  expect(bodies.slice(-2)).toEqual(['b', 'a']);
});

it('does not create what depends on a computer that failed', async () => {
  write('name: demo\ncomputers: {a: {depends_on: [b]}, b: {}}');
  existing();
  world.service.on('GET /me', { running: 0, max_running: 2 });
  world.service.on('POST /projects/demo/computers', { ...computer, status: 'error' });
  const { code, stderr } = await world.run(['up']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/error: a: it needs b, which is not ready/);
});

it('leaves no empty project if no computer could be created', async () => {
  write('name: demo\ncomputers: {a: {}}');
  const empty = { ...project, computers: [] };
  let isCreated = false;
  world.service.handle('GET /projects/demo', (_, response) => {
    response.statusCode = isCreated ? 200 : 404;
    if (!isCreated) response.setHeader('x-error-code', 'not_found');
    response.end(JSON.stringify(isCreated ? empty : { error: 'There is no project.' }));
  });
  world.service.handle('POST /projects', (_, response) => {
    isCreated = true;
    response.end(JSON.stringify(project));
  });
  world.service.on('GET /me', { running: 0, max_running: 2 });
  world.service.on('GET /projects/demo/secrets', { secrets: [] });
  world.service.on('DELETE /projects/demo', { success: true });
  const { code } = await world.run(['up']);
  expect(code).not.toBe(0);
  expect(asked().at(-1)).toBe('DELETE /projects/demo');
});
