import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Interrupts } from '../../../../src/cli/framework/interrupts.js';
import { computer, openWorld, type RunOptions, type World } from '../../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const one = (name: string, more: Partial<typeof computer> = {}) => ({
  ...computer,
  ...{ id: `cmp_${name.padEnd(20, '0')}`, name },
  ...more,
});
const list = 'GET /projects/demo/computers';
const ls = (...words: string[]) => ['computer', 'ls', '-p', 'demo', ...words];
const names = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t')[0]?.replace('demo/', ''));

describe('--sort, --status and --image', () => {
  beforeEach(() => {
    world.service.on(list, {
      computers: [
        one('a10', { cpu: 8, status: 'stopped', created_at: '2025-01-02T03:01:07.000Z' }),
        one('a9', { cpu: 2, image: 'box', created_at: '2025-01-02T03:01:06.000Z' }),
        one('b', { cpu: 4, status: 'error', created_at: '2025-01-02T03:01:05.000Z' }),
      ],
    });
  });

  test.each([
    [[], ['a10', 'a9', 'b']],
    [
      ['--sort', 'name'],
      ['a9', 'a10', 'b'],
    ],
    [
      ['--sort', '-name'],
      ['b', 'a10', 'a9'],
    ],
    [['--sort=-cpu'], ['a10', 'b', 'a9']],
    [
      ['--sort', 'created'],
      ['b', 'a9', 'a10'],
    ],
    [['--status', 'running'], ['a9']],
    [['--image', 'box'], ['a9']],
    [
      ['--status', 'error', '--status', 'stopped', '--sort', 'name'],
      ['a10', 'b'],
    ],
  ])('ls %j', async (words, expected) => {
    const { code, stdout } = await world.run(ls(...words));
    expect({ code, names: names(stdout) }).toEqual({ code: 0, names: expected });
    const json = await world.run(ls(...words, '--json'));
    const { computers } = JSON.parse(json.stdout) as { computers: { name: string }[] };
    expect(computers.map(({ name }) => name)).toEqual(expected);
  });

  test('a status that no computer has is reported', async () => {
    const { code, stdout, stderr } = await world.run(ls('--status', 'deleting'));
    expect({ code, stdout, stderr }).toEqual({
      ...{ code: 0, stdout: '', stderr: 'no computers are deleting\n' },
    });
  });

  test('an image that no computer has is reported', async () => {
    const { stdout, stderr } = await world.run(ls('--image', 'other'));
    expect({ stdout, stderr }).toEqual({
      ...{ stdout: '', stderr: 'no computers with the image other\n' },
    });
  });

  test.each([
    [['--status', 'runing'], 'did you mean running?'],
    [['--status'], 'argument missing'],
    [['--sort', 'nmae'], 'did you mean name?'],
    [['--sort', '-'], 'must be name, status'],
    [['--sort', ''], 'must be name, status'],
    [['--watch=yes'], ''],
    [['--interval', '1s'], '--interval is only for --watch'],
    [['--watch', '--interval', '10ms'], 'must be'],
    [['--watch', '--interval', 'often'], 'must be'],
    [['extra'], ''],
  ])('ls %j is a usage error', async (words, message) => {
    const { code, stdout, stderr } = await world.run(ls(...words));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(world.service.received).toEqual([]);
  });
});

describe('--watch', () => {
  /** Answers with each list in turn, and presses Ctrl-C at the request after the last. */
  async function watch(lists: unknown[][], words: string[] = [], options: RunOptions = {}) {
    const interrupts = new Interrupts();
    let at = 0;
    world.service.handle(list, (_, response) => {
      const computers = lists[at++];
      if (computers === undefined) return interrupts.trigger('SIGINT');
      response.end(JSON.stringify({ computers }));
    });
    const result = await world.run(ls('--watch', '--interval', '100ms', ...words), {
      ...options,
      interrupts,
    });
    return { ...result, stdout: result.stdout };
  }

  test('in a pipe prints each computer that is new, changed or removed', async () => {
    const { code, stdout, stderr } = await watch([
      [one('a'), one('b')],
      [one('a'), one('b', { status: 'stopped' })],
      [one('b', { status: 'stopped' })],
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trim().split('\n');
    expect(lines[0]).toMatch(/^NAME\tSTATUS\t/);
    expect(lines.slice(1).map((line) => line.split('\t').slice(0, 2).join(' '))).toEqual([
      ...['demo/a running', 'demo/b running', 'demo/b stopped', 'demo/a deleted'],
    ]);
  });

  test('prints JSON lines, and ids with -q', async () => {
    const lists = [[one('a')], [one('a', { status: 'stopping' })]];
    const json = await watch(lists, ['--json=name,status']);
    expect(json.stdout).toBe('{"name":"a","status":"running"}\n{"name":"a","status":"stopping"}\n');
    expect((await watch(lists, ['-q'])).stdout).toBe(`${one('a').id}\n${one('a').id}\n`);
  });

  test('with --status prints a computer whose status changed, with the new status', async () => {
    const lists = [[one('a')], [one('a', { status: 'stopped' })]];
    const { stdout } = await watch(lists, ['--status', 'running', '--json=status']);
    expect(stdout).toBe('{"status":"running"}\n{"status":"stopped"}\n');
  });

  test('redraws the table on a terminal, and leaves the cursor below it', async () => {
    const many = Array.from({ length: 40 }, (_, n) => one(`c${n}`));
    const options = { terminal: true, columns: 80, env: { NO_COLOR: '1' } };
    const { code, stdout, stderr } = await watch([[], [one('a'), one('b')], many], [], options);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '\n' });
    const [first, second = '', third = ''] = stdout.split('\u001b[J').slice(1);
    expect(first).toBe('no computers yet; create one: vc create NAME\n\u001b[1A\r');
    expect(second.split('\n')).toHaveLength(4);
    expect(second.endsWith('\u001b[3A\r')).toBe(true);
    const shown = stripVTControlCharacters(third).trimEnd().split('\n');
    expect(shown).toHaveLength(23);
    expect(shown.at(-1)).toBe('… and 19 more');
  });

  test('ends with an error if the service exits, and at once with Ctrl-C if it hangs', async () => {
    world.service.fail(list, 503, 'engine_unavailable', 'No engine.');
    expect((await world.run(ls('--watch'))).code).toBe(7);
    const interrupts = new Interrupts();
    world.service.handle(list, () => interrupts.trigger('SIGINT'));
    expect((await world.run(ls('--watch'), { interrupts })).code).toBe(0);
  });
});

describe('--all', () => {
  const all = [one('a'), one('b', { status: 'stopped' }), one('c', { protected: true })];
  const changed = () =>
    world.service.received
      .filter(({ method }) => method !== 'GET')
      .map(({ method, url }) => `${method} ${url.replace(/^.*\/cmp_(\w).*?(\/\w+)?$/, '$1$2')}`);
  beforeEach(() => {
    world.service.on(list, { computers: all });
    world.service.on('GET /computers', { computers: all, next_cursor: null });
    for (const { id } of all) {
      world.service.on(`POST /computers/${id}/stop`, computer);
      world.service.on(`POST /computers/${id}/start`, computer);
      world.service.on(`POST /computers/${id}/restart`, computer);
      world.service.on(`DELETE /computers/${id}`, { success: true });
      world.service.on(
        `GET /computers/${id}`,
        all.find((each) => each.id === id),
      );
    }
  });

  test.each([
    ['stop', ['POST a/stop', 'POST c/stop'], 'stopped demo/a\nstopped demo/c\n'],
    ['start', ['POST b/start'], 'started demo/b\n'],
    ['restart', ['POST a/restart', 'POST c/restart'], 'restarted demo/a\nrestarted demo/c\n'],
    [
      'rm',
      ['DELETE a', 'DELETE b'],
      'kept demo/c: it is protected\nremoved demo/a\nremoved demo/b\n',
    ],
  ])('%s --all --yes', async (verb, requests, output) => {
    for (const words of [['-p', 'demo'], []]) {
      world.service.received.length = 0;
      const { code, stdout, stderr } = await world.run([verb, '--all', '--yes', ...words]);
      expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
      expect(changed()).toEqual(requests);
      expect(stderr.split('\n').sort()).toEqual(output.split('\n').sort());
    }
  });

  test.each([
    ['stop', 'Stop 2 computers (demo/a, demo/c)? [y/N]'],
    ['start', 'Start 1 computer (demo/b)? [y/N]'],
    ['restart', 'Restart 2 computers (demo/a, demo/c)? [y/N]'],
    ['rm', 'Permanently remove 2 computers (demo/a, demo/b)? [y/N]'],
  ])('%s --all asks on a terminal, and changes nothing without yes', async (verb, question) => {
    const options = { terminal: true, env: { NO_COLOR: '1' } };
    const no = await world.run([verb, '--all'], { ...options, stdin: 'n\n' });
    expect(no.code).toBe(1);
    expect(no.stderr).toContain(question);
    expect(no.stderr).toContain('error: cancelled, nothing was changed\n');
    const piped = await world.run([verb, '--all']);
    expect(piped.code).toBe(2);
    expect(piped.stderr).toContain('confirm with --yes');
    expect(changed()).toEqual([]);
    expect((await world.run([verb, '--all'], { ...options, stdin: 'y\n' })).code).toBe(0);
    expect(changed().length).toBeGreaterThan(0);
  });

  test.each(['stop', 'start', 'restart', 'rm'])('%s without any computer', async (verb) => {
    world.service.on(list, { computers: [] });
    const { code, stdout, stderr } = await world.run([verb, '--all', '-p', 'demo']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/^there are no .*computers.*\n$/);
    const json = await world.run([verb, '--all', '-p', 'demo', '--json', '--yes']);
    expect(json.stdout).toBe('[]\n');
  });

  test('--json prints a list, also of one computer', async () => {
    const { stdout } = await world.run(['start', '--all', '--yes', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'demo/b', answer: { id: computer.id } }]);
  });

  test('rm --all --dry-run asks and removes nothing', async () => {
    const { code, stderr } = await world.run(['rm', '--all', '--dry-run']);
    expect(code).toBe(0);
    expect(stderr).toContain('would remove demo/c (running), but it is protected\n');
    expect(changed()).toEqual([]);
  });

  test('one failure does not stop the others, and its exit code is returned', async () => {
    world.service.fail(`POST /computers/${one('a').id}/stop`, 503, 'engine_unavailable', 'No.');
    const { code, stderr } = await world.run(['stop', '--all', '--yes']);
    expect(code).toBe(7);
    expect(stderr).toContain('error: demo/a: No.');
    expect(stderr).toContain('stopped demo/c\n');
  });

  test.each(['stop', 'start', 'restart', 'rm'])('%s needs either names or --all', async (verb) => {
    const neither = await world.run([verb]);
    expect(neither.code).toBe(2);
    expect(neither.stderr).toBe(
      `error: neither a computer, --all nor --label is given\n       see: vc ${verb} --help\n`,
    );
    const both = await world.run([verb, 'demo/a', '--all', '--yes']);
    expect(both.code).toBe(2);
    expect(both.stderr).toContain('give either names or --all');
    expect(world.service.received).toEqual([]);
  });
});

describe('-o wide on a terminal', () => {
  const wide = async (columns: number) => {
    world.service.on(list, { computers: [one('a'), one('b', { status: 'stopped' })] });
    const { stdout } = await world.run(ls('-o', 'wide'), { terminal: true, columns });
    return stripVTControlCharacters(stdout).trimEnd().split('\n');
  };

  test('is a table where it fits', async () => {
    const lines = await wide(250);
    expect(lines[0]).toMatch(/^NAME +STATUS .* CREATED BY$/);
    expect(lines).toHaveLength(3);
  });

  test.each([60, 80, 150])('shows each column on a line in %i columns', async (columns) => {
    const lines = await wide(columns);
    const end = lines.indexOf('');
    expect(lines.slice(0, 3)).toEqual([
      'NAME        demo/a',
      'STATUS      running',
      expect.any(String),
    ]);
    expect(lines.slice(end + 1, end + 3)).toEqual(['NAME        demo/b', 'STATUS      stopped']);
    expect(lines.filter((line) => line.startsWith('CREATED BY'))).toHaveLength(2);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
  });
});

describe('--label', () => {
  const labelled = one('a', { labels: { team: 'qa', stage: '' } });
  const query = 'label=team%3Dqa&label=stage';
  const select = ['-l', 'team=qa', '--label', 'stage'];
  const asked = () => world.service.received.map(({ method, url }) => `${method} ${url}`);

  test('ls asks for the labels and shows them with -o wide', async () => {
    world.service.on(list, { computers: [labelled] });
    const { stdout } = await world.run(ls(...select, '-o', 'wide'));
    expect(stdout).toContain('\tteam=qa, stage=\t');
    expect(asked()).toEqual([`GET /api/projects/demo/computers?${query}`]);
    world.service.on(list, { computers: [] });
    const none = await world.run(ls(...select));
    expect(none.stderr).toBe('no computers with the labels team=qa and stage\n');
  });

  test('rm removes those with the labels, and none is no error', async () => {
    world.service.on(list, { computers: [labelled] });
    world.service.on(`DELETE /computers/${labelled.id}`, { success: true });
    const rm = ['rm', '-p', 'demo', ...select, '--yes'];
    expect((await world.run(rm)).stderr).toBe('removed demo/a\n');
    expect(asked().at(-1)).toBe(`DELETE /api/computers/${labelled.id}`);
    world.service.on(list, { computers: [] });
    const none = 'there are no computers to remove with the labels team=qa and stage\n';
    expect(await world.run(rm)).toMatchObject({ code: 0, stderr: none });
  });

  test('exec in no computer says so', async () => {
    world.service.on(list, { computers: [] });
    const { code, stderr } = await world.run(['exec', '-p', 'demo', ...select, 'ls', '-l', '-a']);
    expect(code).toBe(0);
    expect(stderr).toBe('there are no running computers with the labels team=qa and stage\n');
  });
});
