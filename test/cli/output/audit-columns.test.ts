import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tree } from '../../../src/cli/commands/tree.js';
import { findCommand } from '../../../src/cli/framework/nodes.js';
import { actionColumns } from '../../../src/cli/output/audit-columns.js';
import { routes } from '../../../src/contract/routes.js';
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

/** Operations that only read are not written into the log. */
const READS = /^(health|list|getProject|getMe|getOwner|getStats|getJob|streamStatus|streamEvents)/;
const logged = [
  ...Object.keys(routes).filter((name) => !READS.test(name)),
  ...['process', 'tunnel', 'viewOpened', 'readFile', 'writeFile', 'autoStop', 'listDirectory'],
];

describe('the history', () => {
  test.each(logged.filter((name) => !/(start|stop|restart)Project/.test(name)))(
    'shows %s as a command of vc',
    async (action) => {
      const words =
        shown(action)
          ?.replace(/ \(.*\)$/, '')
          .split(' ') ?? [];
      const found =
        (await findCommand(tree, words)) ?? (await findCommand(tree, ['computer', ...words]));
      expect(found?.definition, shown(action)).toBeDefined();
      expect(words.join(' ')).toMatch(/^[a-z ]+$/);
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
