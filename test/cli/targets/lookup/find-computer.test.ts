import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tree } from '../../../../src/cli/commands/tree.js';
import { loadOutline } from '../../../../src/cli/generate/outline.js';
import { API_KEY, computer, openWorld, project, type World } from '../../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const ids = {
  desk: 'cmp_0aaa000000000000000a',
  shopDesk: 'cmp_0bbb000000000000000b',
  lamp: 'cmp_0bcc000000000000000c',
} as const;

/** Serves these computers, given as `project/name` and id. */
function serve(computers: Readonly<Record<string, string>>): void {
  const all = Object.entries(computers).map(([path, id]) => {
    const [project_name = '', name = ''] = path.split('/');
    return { ...computer, id, name, project_name };
  });
  const projects = [...new Set(all.map((c) => c.project_name))];
  world.service.on('GET /computers', { computers: all, next_cursor: null });
  for (const name of projects) {
    const list = { computers: all.filter((c) => c.project_name === name) };
    world.service.on(`GET /projects/${name}/computers`, list);
  }
  for (const c of all) {
    const at = `/projects/${c.project_name}/computers/${c.name}`;
    world.service.on(`GET ${at}`, c);
    world.service.on(`POST ${at}/click`, { success: true });
    world.service.on(`POST ${at}/stop`, { ...c, status: 'stopped' });
  }
}

/** Makes `name` the default project of the profile in use. */
async function useProject(name: string): Promise<void> {
  const directory = join(world.directory, 'config');
  await mkdir(directory);
  const profile = { baseUrl: world.service.baseUrl, apiKey: API_KEY, project: name };
  const file = { current: 'default', profiles: { default: profile } };
  await writeFile(join(directory, 'config.json'), JSON.stringify(file));
}

const asked = () => world.service.received.map(({ method, url }) => `${method} ${url.slice(4)}`);
const click = (name: string, ...options: string[]) =>
  world.run(['click', name, '1', '2', ...options]);
const done = { code: 0, stdout: '', stderr: '' };

describe('a bare name', () => {
  test('is looked up in the default project first, with one more request', async () => {
    serve({ 'shop/desk': ids.shopDesk, 'other/desk': ids.desk });
    await useProject('shop');
    expect(await click('desk')).toMatchObject(done);
    expect(asked()).toEqual([
      'GET /projects/shop/computers/desk',
      'POST /projects/shop/computers/desk/click',
    ]);
  });

  test('is looked up in the project "default" if no other is configured', async () => {
    serve({ 'shop/desk': ids.shopDesk, 'default/desk': ids.desk });
    expect(await click('desk')).toMatchObject(done);
    expect(asked().at(-1)).toBe('POST /projects/default/computers/desk/click');
  });

  test('names the only computer with that name in all projects', async () => {
    serve({ 'shop/desk': ids.shopDesk, 'shop/lamp': ids.lamp });
    await useProject('gone');
    expect(await click('lamp')).toMatchObject(done);
    expect(asked().at(-1)).toBe('POST /projects/shop/computers/lamp/click');
  });

  test('of several computers is an error that lists them, and nothing is done', async () => {
    serve({ 'shop/desk': ids.shopDesk, 'lab/desk': ids.desk });
    const { code, stdout, stderr } = await click('desk');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      'error: "desk" is the name of 2 computers\n       give one of them: shop/desk, lab/desk\n',
    );
    expect(asked().filter((line) => line.startsWith('POST'))).toEqual([]);
    const json = await click('desk', '--json');
    expect(JSON.parse(json.stderr).error.code).toBe('ambiguous');
  });

  test('without a computer is not found, and the nearest name is suggested', async () => {
    serve({ 'shop/desk': ids.shopDesk, 'lab/desk': ids.desk, 'lab/lamp': ids.lamp });
    expect(await click('dsek')).toMatchObject({
      code: 5,
      stderr:
        'error: there is no computer named "dsek"\n       Did you mean shop/desk or lab/desk? See: vc ls --all\n',
    });
    expect((await click('shop')).stderr).toBe(
      'error: "shop" is a project, not a computer\n       give one of its computers: shop/desk; see: vc ls -p shop\n',
    );
    expect(await world.run(['screenshot', 'lab'])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('give one of its computers: lab/desk, lab/lamp;'),
    });
    world.service.on('GET /projects/empty', { ...project, name: 'empty', computers: [] });
    for (const argv of [['screenshot'], ['exec', '--', 'true'], ['rm', '--yes']]) {
      const { code, stderr } = await world.run([argv[0] ?? '', 'empty', ...argv.slice(1)]);
      expect(code).toBe(argv[0] === 'exec' ? 125 : 5);
      expect(stderr).toBe(
        'error: "empty" is a project, not a computer, and has no computers yet\n       create one: vc create empty/NAME\n',
      );
    }
    expect((await click('nothing-like-it')).stderr).toBe(
      'error: there is no computer named "nothing-like-it"\n       See: vc ls --all\n',
    );
  });

  test('with -p or VC_PROJECT is looked up in that project only', async () => {
    serve({ 'shop/desk': ids.shopDesk });
    await useProject('shop');
    expect((await click('desk', '-p', 'lab')).code).toBe(5);
    const env = { VC_PROJECT: 'lab' };
    expect((await world.run(['click', 'desk', '1', '2'], { env })).code).toBe(5);
    const request = 'POST /projects/lab/computers/desk/click';
    expect(asked()).toEqual([request, request]);
  });

  test('is looked up once per command', async () => {
    serve({ 'shop/desk': ids.shopDesk });
    await useProject('shop');
    expect((await world.run(['stop', 'desk'])).stderr).toBe('stopped shop/desk\n');
    // Where it is, its status, and the stop.
    expect(asked()).toHaveLength(3);
  });

  test('an error other than "not found" ends the search', async () => {
    serve({ 'shop/desk': ids.shopDesk });
    const at = 'GET /projects/default/computers/desk';
    world.service.fail(at, 401, 'unauthorized', 'The API key is wrong.');
    expect((await click('desk')).code).toBe(4);
    expect(asked()).toHaveLength(1);
  });
});

describe('the start of an id', () => {
  test('selects the only computer whose id starts with it', async () => {
    serve({ 'default/desk': ids.desk, 'shop/lamp': ids.lamp });
    expect(await click('cmp_0bc')).toMatchObject(done);
    expect(asked().at(-1)).toBe('POST /projects/shop/computers/lamp/click');
  });

  test('of several computers is an error that lists them', async () => {
    serve({ 'shop/desk': ids.shopDesk, 'shop/lamp': ids.lamp, 'default/desk': ids.desk });
    expect(await click('cmp_0b')).toMatchObject({
      code: 2,
      stderr:
        'error: "cmp_0b" is the start of the id of 2 computers\n       give one of them: shop/desk, shop/lamp\n',
    });
  });

  test('is looked up as a name first', async () => {
    serve({ 'default/cmp_0b': ids.desk, 'shop/lamp': ids.lamp });
    expect(await click('cmp_0b')).toMatchObject(done);
    expect(asked().at(-1)).toBe('POST /projects/default/computers/cmp_0b/click');
  });

  test.each(['cmp_', '0bc', 'CMP_0bc'])('%s is not the start of an id', async (text) => {
    serve({ 'shop/lamp': ids.lamp });
    expect((await click(text)).code).toBe(5);
  });
});

test('a complete id and PROJECT/NAME need one request', async () => {
  serve({ 'shop/desk': ids.shopDesk });
  world.service.on(`POST /computers/${ids.lamp}/click`, { success: true });
  await useProject('other');
  expect(await click('shop/desk')).toMatchObject(done);
  expect(await click(ids.lamp)).toMatchObject(done);
  expect(asked()).toHaveLength(2);
});

describe('without a name', () => {
  test('the only computer is used', async () => {
    serve({ 'shop/desk': ids.shopDesk });
    const { code, stdout } = await world.run(['get']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^name\tshop\/desk\n/);
    expect((await world.run(['get', '-p', 'shop', '-q'])).stdout).toBe(`${ids.shopDesk}\n`);
  });

  test("the default project's only computer is used, even if others exist", async () => {
    serve({ 'shop/desk': ids.shopDesk, 'lab/desk': ids.desk, 'lab/lamp': ids.lamp });
    await useProject('shop');
    expect((await world.run(['get', '-q'])).stdout).toBe(`${ids.shopDesk}\n`);
  });

  test('several computers are listed in the error, five at most', async () => {
    serve({ 'shop/desk': ids.shopDesk, 'lab/my desk': ids.desk });
    expect(await world.run(['get'])).toMatchObject({
      code: 2,
      stderr:
        "error: no computer given, and there are 2\n       give one of them: shop/desk, 'lab/my desk'\n",
    });
    serve(Object.fromEntries('abcdef'.split('').map((name) => [`lab/${name}`, ids.desk])));
    expect((await world.run(['get'])).stderr).toContain('lab/e, …\n');
  });

  test('no computer at all is an error that says how to create one', async () => {
    serve({});
    expect(await world.run(['screenshot'])).toMatchObject({
      code: 5,
      stderr: 'error: there are no computers yet\n       create one: vc create NAME\n',
    });
  });

  test('if the project of -p is empty, other projects are not searched', async () => {
    serve({ 'shop/desk': ids.shopDesk });
    world.service.on('GET /projects/lab/computers', { computers: [] });
    expect((await world.run(['get', '-p', 'lab'])).code).toBe(5);
    expect(asked()).toEqual(['GET /projects/lab/computers']);
  });

  test('invalid options are reported before any request', async () => {
    expect((await world.run(['screenshot', '-o', 'a.bmp'])).code).toBe(2);
    expect((await world.run(['record', '-o', 'clip.gif'])).code).toBe(2);
    expect(asked()).toEqual([]);
  });

  test('works only for commands with one argument that neither remove nor stop', async () => {
    const { groups } = await loadOutline(tree);
    const optional = groups.flatMap(({ name, commands }) =>
      commands
        // Without a name, the others need --all or --label.
        .filter(({ options }) => options.every(({ flags }) => !flags.startsWith('-l, --label')))
        .filter(({ arguments: [first] }) => first?.name === 'computer' && !first.required)
        .map((command) => ({ path: `${name} ${command.name}`, count: command.arguments.length })),
    );
    expect(optional.map(({ path }) => path).sort()).toEqual([
      ...['computer elements', 'computer get', 'computer history', 'computer network'],
      ...[
        'computer record',
        'computer screenshot',
        'computer shell',
        'computer ssh',
        'computer stats',
      ],
      ...['computer view', 'computer vnc', 'job ls'],
      // Without a name it lists those of all computers.
      'publication ls',
    ]);
    // The second of ssh is for the computer's shell, and needs a computer before it.
    expect(optional.filter(({ count }) => count !== 1)).toEqual([
      { path: 'computer ssh', count: 2 },
    ]);
    for (const verb of ['rm', 'stop', 'restart', 'start']) {
      expect((await world.run([verb])).code, verb).toBe(2);
    }
  });
});
