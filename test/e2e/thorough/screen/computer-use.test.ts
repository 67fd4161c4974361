import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recorded } from '../../../fleet/computer-use/recorded.js';
import { shapeOf, shapes } from '../../../fleet/computer-use/results.js';
import { type Expected, HOME, seen } from '../../../fleet/computer-use/seen.js';
import { recordGuestEvents, seenDuring } from '../../../support/screen/guest-events.js';
import { type Desktop, openDesktop } from '../../../support/service/desktop.js';

/** Milliseconds within which programs take two clicks as a double click. */
const DOUBLE_CLICK_MS = 250;

let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
  await recordGuestEvents(desktop);
});
afterAll(() => desktop.close());

const act = async (action: string, body: object) => {
  const { status, json } = await desktop.service.http(
    'POST',
    `/computers/${desktop.id}/${action}`,
    body,
  );
  expect(status, JSON.stringify(json)).toBe(200);
};
const use = (items: readonly unknown[], more: object = {}) =>
  desktop.service.http('POST', `/computers/${desktop.id}/computer-use`, {
    ...{ items, settle: false },
    ...more,
  });

let attempts = 0;
/** The same calls with other ids: those of an attempt before have been carried out. */
function withFreshIds(items: readonly unknown[]): unknown[] {
  attempts += 1;
  const ids = /"(toolu|anthropic-\d+|call|preview|step|part|chat)_(?!id")(\w+)"/g;
  return JSON.parse(JSON.stringify(items).replaceAll(ids, `"$1_$2_${attempts}"`));
}

/** Carries out calls of one dialect in a turn; their results must have types of its SDK. */
async function turn(dialect: string, items: readonly unknown[]) {
  const { status, json } = await use(
    items.flatMap((item) => withFreshIds([item])),
    {
      ...{ dialect, format: 'jpeg' },
    },
  );
  expect(status, JSON.stringify(json).slice(0, 500)).toBe(200);
  const told = JSON.stringify(json.results).replaceAll(/[\w+/]{200,}={0,2}/g, '…');
  expect(json.success, told).toBe(true);
  expect(json.results).toHaveLength(items.length);
  for (const result of json.results) expect(shapes[dialect]).toContainEqual(shapeOf(result));
  return json.results as object[];
}

/** The texts in a result, and the sizes of its pictures as `1280x800`. */
async function answerOf(result: object): Promise<string[]> {
  const found: (string | Promise<string>)[] = [];
  JSON.stringify(result, (key, value) => {
    if (key === 'text') found.push(value);
    // An object of its own in this dialect, a text in the others.
    if (key === 'response') found.push(JSON.stringify(value));
    const picture = /^data:image\/jpeg;base64,(.*)$/.exec(value)?.[1];
    if (key === 'data' || picture !== undefined) found.push(sizeOf(picture ?? value));
    return value;
  });
  return Promise.all(found);
}

async function sizeOf(base64: string): Promise<string> {
  const { width, height } = await sharp(Buffer.from(base64, 'base64')).metadata();
  return `${width}x${height}`;
}

const ownTests = ['bash', 'str_replace_based_edit_tool'];
const rows = recorded.filter(({ member }) => !ownTests.includes(member));

it('the table has every member of every dialect', () => {
  const names = rows.map(({ dialect, member }) => `${dialect} ${member}`);
  const expected = Object.entries(seen).flatMap(([dialect, members]) =>
    Object.keys(members).map((member) => `${dialect} ${member}`),
  );
  expect(names.sort()).toEqual(expected.sort());
});

describe.each([...new Set(rows.map(({ dialect }) => dialect))])('of %s', (dialect) => {
  const ofDialect = rows.filter((row) => row.dialect === dialect);
  const expectedOf = (member: string) => seen[dialect]?.[member] as Expected;
  const isWait = ({ member }: { member: string }) => member.startsWith('wait');

  it.each(ofDialect.filter((row) => !isWait(row)))('a program sees $member', async (row) => {
    const { happened, answer, before, after, lasts, through } = expectedOf(row.member);
    await act('move', HOME);
    if (before !== undefined) await act(...before);
    try {
      const saw = await seenDuring(desktop, () => turn(dialect, [row.item]));
      expect(saw.happened).toEqual(happened);
      expect((await answerOf(saw.result[0] ?? {})).sort()).toEqual([...answer].sort());
      if (/double|triple/.test(row.member)) {
        expect(Math.max(...saw.gaps)).toBeLessThan(DOUBLE_CLICK_MS);
      }
      if (through !== undefined) expect(saw.path).toContain(through);
      if (lasts !== undefined) {
        expect(saw.held).toBeGreaterThanOrEqual(lasts[0]);
        expect(saw.held).toBeLessThan(lasts[1]);
      }
    } finally {
      if (after !== undefined) await act(...after);
    }
  });

  it.each(ofDialect.filter(isWait))('a program sees the time of $member', async (row) => {
    const key = ofDialect.find(({ member }) => /^(key|keypress|press_key|hotkey)$/.test(member));
    const items = [key?.item, row.item, key?.item];
    const { happened } = expectedOf(key?.member ?? '');
    const { answer, lasts: [least, most] = [0, 0] } = expectedOf(row.member);
    const saw = await seenDuring(desktop, () => turn(dialect, items));
    expect(saw.happened).toEqual([...happened, ...happened]);
    expect((await answerOf(saw.result[1] ?? {})).sort()).toEqual([...answer].sort());
    expect(Math.max(...saw.gaps)).toBeGreaterThanOrEqual(least);
    expect(Math.max(...saw.gaps)).toBeLessThan(most);
  });
});

it('points are those of the last picture, and a zoom shows them at full size', async () => {
  const call = (id: string, name: string, input: object) => ({
    ...{ type: 'tool_use', id, name, input, toolset_name: 'computer' },
  });
  const { json } = await use(
    [
      call('f1', 'screenshot', {}),
      call('f2', 'left_click', { coordinate: [300, 200] }),
      call('f3', 'cursor_position', {}),
      call('f4', 'zoom', { region: [280, 180, 380, 260] }),
    ],
    { max_edge: 640 },
  );
  expect(json.success).toBe(true);
  expect(await desktop.run('xdotool getmouselocation')).toContain('x:600 y:400 ');
  expect(json.results[2].content).toEqual([{ type: 'text', text: 'X=300, Y=200' }]);
  expect(json.frames).toMatchObject([
    { width: 640, height: 400, screen: { width: 1280, height: 800 }, whole: true },
    { width: 200, height: 160, whole: false },
  ]);
  const { source } = json.results[3].content[0];
  const zoom = await sharp(Buffer.from(source.data, 'base64')).metadata();
  expect([zoom.width, zoom.height]).toEqual([200, 160]);
});

it('a program sees what the shell and each command of the editor do', async () => {
  const edit = (input: object) => ({
    ...{ type: 'tool_use', id: 'call_edit', name: 'str_replace_based_edit_tool' },
    input: { path: '/tmp/note.txt', ...input },
  });
  const bash = (input: object) => ({ type: 'tool_use', id: 'call_bash', name: 'bash', input });
  const textOf = async (item: object) => {
    const [result] = await turn('anthropic', [item]);
    return (await answerOf(result ?? {})).join('');
  };
  const file = () => desktop.run('cat /tmp/note.txt');
  await textOf(edit({ command: 'create', file_text: 'one\ntwo\n' }));
  expect(await file()).toBe('one\ntwo\n');
  await textOf(edit({ command: 'str_replace', old_str: 'two', new_str: '2 $(date) \' "' }));
  expect(await file()).toBe('one\n2 $(date) \' "\n');
  await textOf(edit({ command: 'insert', insert_line: 1, insert_text: 'between' }));
  expect(await file()).toBe('one\nbetween\n2 $(date) \' "\n');
  const view = edit({ command: 'view', view_range: [1, 2] });
  expect(await textOf(view)).toBe('     1\tone\n     2\tbetween');
  const command = 'cat /tmp/note.txt; rm /tmp/note.txt; false';
  expect(await textOf(bash({ command }))).toBe(
    'one\nbetween\n2 $(date) \' "\n\nThe exit code is 1.',
  );
  expect(await desktop.run('ls /tmp/note.txt 2>&1; true')).toContain('No such file');
  expect(await textOf(bash({ restart: true }))).toBe('OK');
  await desktop.run('echo one >/tmp/note.txt');
  const failing = edit({ command: 'str_replace', old_str: 'absent', new_str: '' });
  const { json } = await use(withFreshIds([failing]));
  expect(json.results[0]).toMatchObject({ is_error: true });
  expect(json.results[0].content[0].text).toContain('occurs 0 times');
  expect(shapes.anthropic).toContainEqual(shapeOf(json.results[0]));
});

it('a repeated turn types nothing twice', async () => {
  const actions = [{ type: 'keypress', keys: ['F5'] }];
  const again = withFreshIds([{ type: 'computer_call', call_id: 'call_once', actions }]);
  const { happened, result } = await seenDuring(desktop, async () => [
    await use(again),
    await use(again),
  ]);
  expect(result[1]?.json).toEqual({ ...result[0]?.json, replayed: true });
  expect(happened).toEqual(['key F5']);
});
