import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tree } from '../../../src/cli/commands/tree.js';
import { findCommand } from '../../../src/cli/framework/nodes.js';
import { actionColumns } from '../../../src/cli/output/audit-columns.js';
import { auditCommands } from '../../../src/contract/routes.js';
import { computer, openWorld, type World } from '../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const entry = (action: string, detail = {}) => ({
  ...{ id: 1, at: computer.created_at, action, detail, key_id: 'key_0123456789abcdefghjk' },
  ...{ key_name: 'laptop', outcome: 'ok', ms: 12 },
});

const shown = (action: string, detail = {}) =>
  actionColumns.find(({ header }) => header === 'ACTION')?.value(entry(action, detail));

const logged = [
  ...Object.entries(auditCommands).flatMap(([name, command]) => (command ? [name] : [])),
  'viewOpened',
  'autoStop',
  'ended',
];

/** Commands of several computers, and sessions, which are the web page's. */
const NO_COMMAND = /(start|stop|restart)Project|(create|end)Session/;

describe('the history', () => {
  test.each(logged.filter((name) => !NO_COMMAND.test(name)))(
    'shows %s as a command of vc',
    async (action) => {
      const words =
        shown(action)
          ?.replace(/ \(.*\)$/, '')
          .split(' ') ?? [];
      const found =
        (await findCommand(tree, words)) ?? (await findCommand(tree, ['computer', ...words]));
      expect(found?.definition, shown(action)).toBeDefined();
      expect(words.join(' ')).toMatch(/^[a-z -]+$/);
    },
  );

  test('distinguishes terminals from commands, and shows unknown operations unchanged', () => {
    expect(shown('process')).toBe('exec');
    expect(shown('process', { terminal: true })).toBe('shell');
    expect(shown('constructor')).toBe('constructor');
    expect(shown('ofTheFuture')).toBe('ofTheFuture');
  });

  test.each([80, 60])('shows the name of the key at %d columns', async (columns) => {
    const detail = {
      start_x: 1,
      start_y: 2,
      end_x: 300,
      end_y: 400,
      duration: 0.5,
      button: 'left',
    };
    world.service.on('GET /projects/demo/computers/desktop/actions', {
      actions: [entry('drag', detail), { ...entry('autoStop'), key_id: 'service', key_name: null }],
    });
    world.service.on('GET /audit', { entries: [{ ...entry('createProject'), computer_id: null }] });
    for (const argv of [['history', 'demo/desktop'], ['audit']]) {
      const { stdout } = await world.run(argv, { terminal: true, columns, env: { NO_COLOR: '1' } });
      const [head = '', ...lines] = stdout.trimEnd().split('\n');
      expect(head).toContain('KEY');
      expect(lines[0]).toContain('laptop');
      for (const line of [head, ...lines]) expect(line.length).toBeLessThanOrEqual(columns);
    }
  });

  test('keeps the names of operations in JSON', async () => {
    world.service.on('GET /audit', { entries: [{ ...entry('batch'), computer_id: null }] });
    const { stdout } = await world.run(['audit', '--json']);
    expect(JSON.parse(stdout).entries[0]).toMatchObject({ action: 'batch', key_name: 'laptop' });
  });
});

describe('vc audit', () => {
  const id = (n: number) => `cmp_${'0'.repeat(19)}${n}`;
  const log = (entries: readonly unknown[]) => {
    world.service.on('GET /audit', { entries });
    world.service.on('GET /owners/alice/audit', { entries });
    world.service.on('GET /computers', { computers: [computer] });
    world.service.on('GET /projects/demo/computers/desktop', computer);
  };
  const drag = { start_x: 1, start_y: 2, end_x: 300, end_y: 400, duration: 0.5, button: 'left' };
  const entries = [
    { ...entry('click', { x: 1, y: 2 }), computer_id: computer.id },
    { ...entry('drag', drag), computer_id: computer.id },
    { ...entry('deleteComputer'), computer_id: id(7), computer_name: 'old' },
    { ...entry('click'), computer_id: id(7), computer_name: 'older' },
    { ...entry('click'), computer_id: id(8) },
    { ...entry('createProject', { name: 'demo' }), computer_id: null },
  ].map((each) => ({ computer_name: null, ...each }));

  test.each([
    [60, 'WHEN ACTION COMPUTER KEY'],
    [80, 'WHEN ACTION COMPUTER DETAIL KEY'],
    [92, 'WHEN ACTION COMPUTER DETAIL OUTCOME KEY'],
    [130, 'WHEN ACTION COMPUTER DETAIL OUTCOME TOOK KEY'],
  ])('names the computers at %d columns, and drops TOOK first', async (columns, head) => {
    log(entries.filter(({ computer_id }) => computer_id !== id(8)));
    const { stdout } = await world.run(['audit'], {
      ...{ terminal: true, columns, env: { NO_COLOR: '1' } },
    });
    const [first = '', ...lines] = stdout.trimEnd().split('\n');
    expect(first.split(/ +/)).toEqual(head.split(' '));
    expect(lines[0]).toMatch(/ click +demo\/desktop /);
    expect(lines[2]).toMatch(/ rm +old \(deleted\) /);
    for (const line of [first, ...lines]) expect(line.length).toBeLessThanOrEqual(columns);
  });

  test('shows the id of a computer without a name, and all ids with -o wide', async () => {
    log(entries);
    const { stdout } = await world.run(['audit', '-o', 'wide']);
    const column = (name: string) => {
      const rows = stdout.replace(/\n$/, '').split('\n');
      const index = rows[0]?.split('\t').indexOf(name) ?? -1;
      return rows.slice(1).map((row) => row.split('\t')[index] ?? '');
    };
    const names = ['demo/desktop', 'demo/desktop', 'old (deleted)', 'old (deleted)', id(8), ''];
    expect(column('COMPUTER')).toEqual(names);
    expect(column('COMPUTER ID')).toEqual([...[computer.id, computer.id, id(7), id(7), id(8), '']]);
  });

  test('says of no computer of another owner that it is deleted', async () => {
    log(entries);
    const { stdout } = await world.run(['audit', '--owner', 'alice']);
    expect(stdout).toContain('\told\t');
    expect(stdout).not.toContain('deleted');
  });

  test.each([
    [['--computer', 'demo/desktop'], computer.id],
    [['-p', 'demo', '--computer', 'desktop'], computer.id],
    [['--computer', id(7)], id(7)],
    [['--computer', id(7), '--owner', 'alice'], id(7)],
  ])('vc audit %j asks for the id', async (argv, wanted) => {
    log(entries);
    const { code, stderr } = await world.run(['audit', ...argv, '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const asked = world.service.received.find(({ url }) => url.includes('audit'));
    expect(asked?.url).toContain(`computer=${wanted}`);
  });

  test('an unknown name and a name with --owner are errors', async () => {
    log(entries);
    const unknown = await world.run(['audit', '--computer', 'demo/none']);
    expect(unknown.code).toBe(5);
    const remedy = 'for a deleted one: vc audit --computer ID';
    expect(unknown.stderr).toContain(remedy);
    const history = await world.run(['history', 'demo/none']);
    expect(history).toMatchObject({ code: 5, stderr: expect.stringContaining(remedy) });
    const others = await world.run(['audit', '--owner', 'alice', '--computer', 'desktop']);
    expect(others.code).toBe(2);
    expect(others.stderr).toContain('COMPUTER ID');
    expect(world.service.received.some(({ url }) => url.includes('audit'))).toBe(false);
  });
});
