import { expect, it } from 'vitest';
import { z } from 'zod';
import { ApiError } from '../../src/contract/errors.js';
import { CONFIG_CLIENTS, configFor } from '../../src/mcp/config.js';
import { offered } from '../../src/mcp/server.js';
import type { Service } from '../../src/mcp/service.js';
import { tools } from '../../src/mcp/tools.js';

const computer = {
  ...{ id: `cmp_${'0'.repeat(20)}`, name: 'desk', project_name: 'demo', status: 'running' },
  ...{ os: 'linux', resolution: { width: 2560, height: 1600 } },
};

interface Asked {
  readonly operation: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** A service with one computer, whose answers a test may replace. */
function fakeService(
  answers: Readonly<Record<string, (options: Asked['options']) => unknown>> = {},
) {
  const asked: Asked[] = [];
  const picture = { image: 'aGk=', format: 'png', width: 1280, height: 800 };
  const all: typeof answers = {
    listAllComputers: () => ({ computers: [computer], next_cursor: null }),
    getComputer: () => computer,
    screenshot: () => picture,
    batch: () => ({ success: true, results: [{ success: true }, { success: true, ...picture }] }),
    bash: () => ({ output: 'hello\n', exit_code: 0, timed_out: false }),
    ...answers,
  };
  const request = async (operation: string, options: Asked['options'] = {}) => {
    asked.push({ operation, options });
    return all[operation]?.(options);
  };
  return { asked, service: { request } as unknown as Service };
}

const call = (service: Service, name: string, input: object) => {
  const found = tools.find((tool) => tool.name === name);
  if (found === undefined) throw new Error(`no tool ${name}`);
  return found.run(service, found.input.parse(input) as never);
};

it('there are at most ten tools, with short schemas and all annotations', () => {
  expect(offered({}).length).toBeLessThanOrEqual(10);
  for (const { name, description, annotations, input } of tools) {
    expect(name).toMatch(/^[a-z_]{3,40}$/);
    expect(description.length).toBeLessThan(400);
    const { readOnlyHint, destructiveHint } = annotations;
    expect(readOnlyHint && destructiveHint, name).toBe(false);
    expect(Object.values(annotations), name).toHaveLength(4);
    expect(JSON.stringify(z.toJSONSchema(input, { io: 'input' })).length).toBeLessThan(2500);
  }
});

it('deletes the computer that is named', async () => {
  const { asked, service } = fakeService();
  const result = await call(service, 'delete_computer', { computer: 'demo/desk' });
  expect(asked.at(-1)).toMatchObject({ operation: 'deleteComputer', options: { params: {} } });
  expect(JSON.stringify(result.content)).toContain('is deleted');
});

it('lists the computers with a label', async () => {
  const { asked, service } = fakeService();
  await call(service, 'list_computers', { label: 'team=qa' });
  expect(asked.at(-1)?.options).toMatchObject({ query: { label: ['team=qa'] } });
});

it('every tool but those that list and create names its computer', () => {
  const without = tools.filter(({ input }) => !('computer' in input.shape)).map(({ name }) => name);
  expect(without).toEqual(['list_computers', 'create_computer']);
});

it('toolsets can be left out, and everything that changes something', () => {
  const names = (options: Parameters<typeof offered>[0]) =>
    offered(options).map(({ name }) => name);
  expect(names({})).not.toContain('delete_computer');
  expect(names({ toolsets: ['manage'] })).toEqual(['create_computer', 'delete_computer']);
  expect(names({ toolsets: ['manage'], readOnly: true })).toEqual([]);
  expect(names({ toolsets: ['screen'] })).toEqual(['list_computers', 'screenshot', 'act']);
  expect(names({ readOnly: true })).toEqual(['list_computers', 'screenshot']);
  expect(names({ toolsets: ['computers'] })).toContain('reset_computer');
});

it('a screenshot lists the places of a text, which a click takes', async () => {
  const place = { id: 'text-100-50-20-10', source: 'text', role: 'text', name: 'Sign in' };
  const element = { ...place, states: [], box: [100, 50, 20, 10], actions: [] };
  const { asked, service } = fakeService({
    findElements: () => ({ elements: [element], truncated: false }),
  });
  const shown = await call(service, 'screenshot', { computer: 'desk', find: 'sign in' });
  expect(asked.at(-1)).toMatchObject({
    operation: 'findElements',
    options: { body: { text: 'sign in' } },
  });
  const [, line] = (shown.content.at(-1) as { text: string }).text.split('\n');
  expect(line).toBe('text-100-50-20-10 text 50,25,10,5 "Sign in"');
});

it('a screenshot lists elements in pixels of the picture, their texts in quotes', async () => {
  const element = {
    ...{ id: '2c6e3adb-1.8-72', role: 'entry', name: 'a\nb', value: 'x'.repeat(500) },
    ...{ states: ['focused', 'editable'], box: [100, 50, 20, 10], actions: [] },
  };
  const { asked, service } = fakeService({
    getElements: () => ({ elements: [element], truncated: true }),
  });
  const shown = await call(service, 'screenshot', { computer: 'desk', elements: true });
  expect(asked.at(-1)).toMatchObject({ operation: 'getElements' });
  const [, line, more] = (shown.content.at(-1) as { text: string }).text.split('\n');
  expect(line).toBe(
    `2c6e3adb-1.8-72 entry 50,25,10,5 "a\\nb" = "${'x'.repeat(120)}…" focused,editable`,
  );
  expect(more).toBe('There are more.');
  const actions = [{ action: 'click', element: element.id }];
  await call(service, 'act', { computer: 'desk', actions });
  const batch = asked.find(({ operation }) => operation === 'batch')?.options;
  expect(batch).toMatchObject({ body: { actions: [actions[0], { action: 'screenshot' }] } });
});

it('with marks, the picture has numbers, which a click takes, and so has the next picture', async () => {
  const mark = {
    ...{ mark: 1, id: '2c6e3adb-1.8-72', role: 'button', name: 'O\nK' },
    ...{ states: ['focusable'], box: [100, 50, 20, 10], actions: [] },
  };
  const frame = 'frm_0123456789ab';
  const taken = {
    ...{ image: 'aGk=', format: 'png', encoding: 'base64', width: 1, height: 1 },
    ...{ success: true, frame, marks: [mark], truncated: true },
  };
  const { asked, service } = fakeService({ screenshot: () => taken });
  const shown = await call(service, 'screenshot', { computer: 'desk', marks: true });
  expect(asked.at(-1)?.options).toMatchObject({ query: { marks: '1' } });
  expect((shown.content.at(-1) as { text: string }).text.split('\n')).toEqual([
    `Marks of the frame ${frame}: number, role, "name", = "value", states.`,
    '1 button "O\\nK" focusable',
    'There are more elements.',
  ]);
  const actions = [{ action: 'click', mark: 1, frame }];
  await call(service, 'act', { computer: 'desk', actions });
  expect(asked.find(({ operation }) => operation === 'batch')?.options.body).toEqual({
    actions: [...actions, { action: 'screenshot', scale: 0.5, settle: true, marks: true }],
  });
});

it('a picture is scaled, and coordinates are those of the picture', async () => {
  const { asked, service } = fakeService();
  const shown = await call(service, 'screenshot', { computer: 'desk' });
  expect(shown.content[0]).toMatchObject({ type: 'image', mimeType: 'image/png' });
  expect(asked.at(-1)?.options).toMatchObject({ query: { scale: 0.5 } });
  const actions = [
    { action: 'click', x: 1, y: 2 },
    { action: 'type', text: 'a' },
  ];
  const acted = await call(service, 'act', { computer: 'demo/desk', actions });
  expect(acted.content).toHaveLength(2);
  expect(asked.find(({ operation }) => operation === 'batch')?.options.body).toEqual({
    actions: [
      { action: 'click', x: 1, y: 2, scale: 0.5 },
      { action: 'type', text: 'a' },
      { action: 'screenshot', scale: 0.5, settle: true },
    ],
  });
});

it.each([
  [
    'act',
    { actions: '[{"action": "click", "keys": "[\\"ctrl\\"]"}]' },
    { actions: [{ action: 'click', keys: ['ctrl'] }, { action: 'screenshot' }] },
  ],
  [
    'act',
    { actions: ['{"action": "type", "text": "[a]"}'] },
    { actions: [{ action: 'type', text: '[a]' }, { action: 'screenshot' }] },
  ],
  ['fork_computer', { names: '["a", "b"]' }, { names: ['a', 'b'] }],
])('%s takes a list or object as a string of JSON', async (name, input, body) => {
  const { asked, service } = fakeService({ forkComputer: () => ({ computers: [] }) });
  await call(service, name, { computer: 'desk', ...input });
  expect(asked.at(-1)?.options).toMatchObject({ body });
});

it('a string of JSON is declared as the list or object that it stands for', () => {
  const act = tools.find(({ name }) => name === 'act');
  expect(z.toJSONSchema(act?.input ?? z.object(), { io: 'input' })).toMatchObject({
    properties: { actions: { type: 'array', items: { type: 'object' } } },
  });
});

it.each(['[', 'click', '{}', `[${'1,'.repeat(6_000)}1]`])('act refuses %s', async (actions) => {
  await expect(async () =>
    call(fakeService().service, 'act', { computer: 'desk', actions }),
  ).rejects.toThrow('array');
});

it.each([
  { command: 'id' },
  { any: [{ port: 1 }, { command: 'id' }] },
  { all: [{ command: 'id', gone: true }] },
  '{"command": "id"}',
])('act runs no command to wait for %j', async (until) => {
  const { asked, service } = fakeService();
  const actions = [{ action: 'wait', until }];
  await expect(async () => call(service, 'act', { computer: 'desk', actions })).rejects.toThrow(
    'run_command',
  );
  expect(asked).toEqual([]);
});

it('act waits for the screen and for other conditions', async () => {
  for (const until of ['stable', { any: [{ window: 'Saved' }, { port: 8000 }] }]) {
    const { asked, service } = fakeService();
    const actions = [{ action: 'wait', until }];
    await call(service, 'act', { computer: 'desk', actions });
    const batch = asked.find(({ operation }) => operation === 'batch')?.options;
    expect(batch).toMatchObject({ body: { actions: [actions[0], { action: 'screenshot' }] } });
  }
});

it('a picture that is too large as PNG is sent as JPEG', async () => {
  const { asked, service } = fakeService({
    screenshot: ({ query }) => {
      const { format = 'png', quality } = query as { format?: string; quality?: number };
      const size = format === 'png' || quality === 80 ? 2_000_000 : 500_000;
      return { image: 'A'.repeat(size), format, width: 1280, height: 800 };
    },
  });
  const { content } = await call(service, 'screenshot', { computer: computer.id });
  expect(content[0]).toMatchObject({ mimeType: 'image/jpeg', data: 'A'.repeat(500_000) });
  expect(asked.filter(({ operation }) => operation === 'screenshot')).toHaveLength(3);
});

it('a failed action says which one, and shows the screen', async () => {
  const failure = { success: false, error: 'There is no key "Entr"; did you mean Enter?' };
  const { service } = fakeService({
    batch: () => ({ success: false, results: [{ success: true }, failure] }),
  });
  const actions = [{ action: 'key', key: 'a' }, { action: 'key', key: 'Entr' }, { action: 'wait' }];
  const { content, isError } = await call(service, 'act', { computer: 'desk', actions });
  expect(isError).toBe(true);
  expect(content[0]).toMatchObject({
    text: expect.stringMatching(/^Action 2 of 3 failed: .*Enter/),
  });
  expect(content[1]).toMatchObject({ type: 'image' });
});

it('an unknown name lists those that exist', async () => {
  const { service } = fakeService();
  await expect(call(service, 'screenshot', { computer: 'desc' })).rejects.toThrow(
    expect.objectContaining({ code: 'not_found', remedy: 'Name one of: demo/desk' }) as ApiError,
  );
});

it('a command that fails is an error with its output, which is bounded', async () => {
  const { service } = fakeService({
    bash: () => ({ output: 'x'.repeat(100_000), exit_code: 3, timed_out: false }),
  });
  const { content, isError } = await call(service, 'run_command', {
    computer: 'desk',
    command: 'x',
  });
  expect(isError).toBe(true);
  const [{ text }] = content as unknown as [{ text: string }];
  expect(text.length).toBeLessThan(31_000);
  expect(text).toMatch(/70000 characters left out[\s\S]*Exit code 3\.$/);
});

const snapshots = () => ({ snapshots: [{ name: 'clean' }, { name: 'snap-1' }] });

it('a snapshot is saved, and all are listed', async () => {
  const { asked, service } = fakeService({
    createSnapshot: () => ({ name: 'snap-1' }),
    listSnapshots: snapshots,
  });
  const { content } = await call(service, 'snapshot_computer', { computer: 'desk' });
  expect(content).toMatchObject([{ text: 'Saved as snap-1. Its snapshots: clean, snap-1.' }]);
  expect(asked[1]).toMatchObject({
    operation: 'createSnapshot',
    options: { params: { id: computer.id }, body: { name: undefined } },
  });
});

it('a reset to an unknown snapshot lists those that exist', async () => {
  const { asked, service } = fakeService({
    resetComputer: ({ body }) => {
      const { snapshot } = body as { snapshot?: string };
      if (snapshot === 'dirty') throw new ApiError('not_found', 'There is no snapshot "dirty".');
      if (snapshot === 'full') throw new ApiError('limit_reached', 'No room.');
      return computer;
    },
    listSnapshots: snapshots,
  });
  const reset = (snapshot?: string) =>
    call(service, 'reset_computer', { computer: 'desk', snapshot });
  expect(await reset('clean')).toMatchObject({
    content: [{ text: 'The computer is as clean, and running.' }],
  });
  expect(await reset()).toMatchObject({
    content: [{ text: 'The computer is as after its creation, and running.' }],
  });
  await expect(reset('dirty')).rejects.toMatchObject({
    message: 'There is no snapshot "dirty".',
    remedy: 'Its snapshots: clean, snap-1.',
  });
  const before = asked.length;
  await expect(reset('full')).rejects.toMatchObject({ code: 'limit_reached' });
  expect(asked.slice(before).map(({ operation }) => operation)).not.toContain('listSnapshots');
});

it('copies are made in one request and named with their ids', async () => {
  const copies = ['a', 'b'].map((name) => ({ ...computer, id: `cmp_${name}`, name }));
  const { asked, service } = fakeService({ forkComputer: () => ({ computers: copies }) });
  const { content } = await call(service, 'fork_computer', {
    ...{ computer: 'demo/desk', names: ['a', 'b'], snapshot: 'clean' },
  });
  expect(content).toMatchObject([
    { text: 'demo/a (cmp_a) is running.\ndemo/b (cmp_b) is running.' },
  ]);
  expect(asked.at(-1)?.options).toMatchObject({ body: { names: ['a', 'b'], snapshot: 'clean' } });
});

it.each(CONFIG_CLIENTS)('the configuration of %s names the command and its options', (client) => {
  expect(configFor(client, ['mcp', '--read-only'])).toMatch(/vc[\s\S]*mcp[\s\S]*--read-only/);
});
