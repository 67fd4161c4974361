import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { toYaml } from '../../../../src/cli/output/format/yaml.js';
import { computer, openWorld, project, type World } from '../../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
  world.service.on('GET /projects/demo/computers', { computers: [computer] });
  world.service.on('GET /projects/demo/computers/desktop', computer);
});
afterEach(() => world.close());

const ls = ['computer', 'ls', '-p', 'demo'];

test('-o json prints the same as --json, errors included', async () => {
  const json = await world.run([...ls, '--json']);
  expect(await world.run([...ls, '-o', 'json'])).toEqual(json);
  expect(await world.run([...ls, '--output=json'])).toEqual(json);
  const missing = ['computer', 'get', 'demo/none'];
  const failed = await world.run([...missing, '-o', 'json']);
  expect(failed).toEqual(await world.run([...missing, '--json']));
  expect(JSON.parse(failed.stderr)).toMatchObject({ error: { code: 'not_found' } });
});

test('-o yaml prints the same data as YAML', async () => {
  const { code, stdout } = await world.run([...ls, '-o', 'yaml']);
  expect(code).toBe(0);
  expect(stdout).toContain('computers:\n- id: cmp_0123456789abcdefghjk\n  name: desktop\n');
  expect(stdout).toContain('  resolution:\n    width: 1280\n    height: 800\n');
  expect(stdout).toContain('  created_at: "2025-01-02T03:01:05.000Z"\n');
  expect(stdout).toContain('  url: null\n');
  const some = await world.run([
    'computer',
    'get',
    'demo/desktop',
    '-o',
    'yaml',
    '--json=name,cpu',
  ]);
  expect(some.stdout).toBe('name: desktop\ncpu: 2\n');
});

test('-o wide adds columns', async () => {
  const plain = await world.run(ls);
  const wide = await world.run([...ls, '-o', 'wide']);
  const headers = (text: string) => text.split('\n')[0]?.split('\t') ?? [];
  expect(headers(wide.stdout)).toEqual([
    ...headers(plain.stdout),
    ...[
      'STARTED',
      'ISOLATION',
      'MEMBER',
      'IMAGE',
      'SCREEN',
      'AUTO-STOP',
      'EXPIRES',
      'LABELS',
      'PROTECTED',
      'VARIABLES',
      'TIME ZONE',
      'LOCALE',
      'SUDO',
      'CREATED BY',
    ],
  ]);
  const more = 'never\tnever\t\tno\tAPI_URL TOKEN\t\t\tyes\t\n';
  expect(wide.stdout).toContain(`\tcontainer\t\tlinux\t1280x800\t${more}`);
  const narrow = await world.run([...ls, '-o', 'wide'], { terminal: true, columns: 40 });
  expect(narrow.stdout).toContain('PROTECTED');
});

test('vc key ls -o wide shows which key created each', async () => {
  const key = {
    id: 'key_2',
    name: 'ci',
    rights: 'manage',
    created_at: project.created_at,
    last_used_at: null,
    ...{ max_computers: null, max_hours: null, max_actions: null },
    used: { computers: 0, hours: 0, actions: 0 },
  };
  world.service.on('GET /keys', { keys: [{ ...key, created_by: 'key_1' }] });
  expect((await world.run(['key', 'ls'])).stdout).not.toContain('key_1');
  expect((await world.run(['key', 'ls', '-o', 'wide'])).stdout).toMatch(/CREATED BY\n.*\tkey_1\n$/);
});

test.each([
  [[...ls, '-o', 'xml'], '--output: must be wide, json or yaml, not "xml"'],
  [[...ls, '-o', 'jsno'], 'did you mean json?'],
  [['computer', 'get', 'demo/desktop', '-o', 'wide'], 'must be json or yaml'],
  [[...ls, '-o', 'wide', '--json'], '-o wide cannot be combined with --json or --jq'],
  [[...ls, '-o', 'yaml', '--jq', '.'], '-o yaml cannot be combined with --jq'],
  [[...ls, '-o'], 'argument missing'],
])('%j is a usage error', async (argv, message) => {
  const { code, stderr, stdout } = await world.run(argv);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
  expect(world.service.received).toEqual([]);
});

describe('YAML', () => {
  test.each([
    ['a text', 'a text\n'],
    ['yes', '"yes"\n'],
    ['1.0', '"1.0"\n'],
    ['', '""\n'],
    ['a: b', '"a: b"\n'],
    ['- a', '"- a"\n'],
    ['line\nbreak', '"line\\nbreak"\n'],
    ['\u001b[31m\u202e', '"\\u001b[31m\\u202e"\n'],
    [null, 'null\n'],
    [[], '[]\n'],
    [{}, '{}\n'],
    [[[1], { a: [{ b: 1, c: {} }] }], '- - 1\n- a:\n  - b: 1\n    c: {}\n'],
  ])('writes %j', (value, text) => {
    expect(toYaml(value)).toBe(text);
  });
});
