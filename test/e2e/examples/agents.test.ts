import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'rolldown/experimental';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Examples, openExamples } from '../../support/cli/examples.js';
import { openScriptedVendor, type ScriptedVendor } from '../../support/model/scripted-vendor.js';
import { connectSharedService, type Json } from '../../support/service/service.js';

const AGENTS = new URL('../../../examples/agents/', import.meta.url).pathname;

let service: ReturnType<typeof connectSharedService>;
let examples: Examples;
beforeAll(() => {
  service = connectSharedService();
  examples = openExamples(service);
});
afterAll(() => service.close());

let vendor: ScriptedVendor | undefined;
afterEach(() => vendor?.close());

async function scriptedVendor(answers: readonly object[]): Promise<ScriptedVendor> {
  vendor = await openScriptedVendor(answers);
  return vendor;
}

const PNG = /^iVBORw0KGgo/;

it('the agent with the tools of Anthropic answers each call as the vendor wants', async () => {
  const call = (id: string, name: string, input: object) => ({
    ...{ type: 'tool_use', id, name, toolset_name: 'computer', input },
  });
  const { url, asked } = await scriptedVendor([
    {
      content: [
        { type: 'text', text: 'First I look.' },
        call('a', 'screenshot', {}),
        call('b', 'left_click', { coordinate: [300, 300], text: 'ctrl' }),
        call('c', 'cursor_position', {}),
      ],
    },
    {
      content: [
        call('d', 'left_click_drag', { start_coordinate: [100, 100], coordinate: [200, 200] }),
        call('e', 'scroll', { scroll_direction: 'up', scroll_amount: 2, coordinate: [9, 9] }),
        call('f', 'key', { text: 'Escape', repeat: 2 }),
        call('g', 'double_click', { coordinate: [5000, 9] }),
        call('h', 'type', { text: 'never typed' }),
      ],
    },
    { content: [call('i', 'zoom', { region: [0, 0, 100, 50] })] },
    { content: [{ type: 'text', text: 'Done.' }] },
  ]);
  const { code } = await transform('agent.ts', readFileSync(`${AGENTS}anthropic-agent.ts`, 'utf8'));
  writeFileSync(join(examples.directory, 'agent.mjs'), code);
  const environment = `ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=k ANTHROPIC_MODEL=m`;
  const output = await examples.run(`${environment} node agent.mjs 'Do it'`);
  expect(output).toMatch(/^First I look\.$/m);
  expect(output).toMatch(/^Done\.$/m);

  expect(asked).toHaveLength(4);
  expect(asked[0].tools[0].type).toBe('computer_toolset_20260801');
  expect(asked[0].messages).toEqual([{ role: 'user', content: 'Do it' }]);
  const [a, b, c] = asked[1].messages.at(-1).content;
  expect(a).toMatchObject({ type: 'tool_result', tool_use_id: 'a', toolset_name: 'computer' });
  expect(a.content[0].source).toMatchObject({ media_type: 'image/png' });
  expect(a.content[0].source.data).toMatch(PNG);
  expect(b.content).toEqual([{ type: 'text', text: 'OK' }]);
  expect(c.content).toEqual([{ type: 'text', text: 'X=300, Y=300' }]);
  const second = asked[2].messages.at(-1).content;
  expect(second.map((result: Json) => result.is_error === true)).toEqual([
    ...[false, false, false, true, true],
  ]);
  expect(second[3].content[0].text).toMatch(/5000/);
  expect(second[4].content[0].text).toBe(
    'Not executed: an earlier computer action in this turn failed.',
  );
  expect(asked[3].messages.at(-1).content[0].content[0].source.data).toMatch(PNG);
});

it('the agent with the tool of OpenAI answers each call with one picture', async () => {
  const { url, asked } = await scriptedVendor([
    {
      id: 'resp_1',
      output: [
        {
          ...{ type: 'computer_call', id: 'cc_1', call_id: 'call_1', status: 'completed' },
          pending_safety_checks: [],
          actions: [
            { type: 'click', button: 'wheel', x: 300, y: 300 },
            { type: 'double_click', x: 300, y: 300, keys: null },
            { type: 'move', x: 10, y: 10 },
            { type: 'drag', path: [1, 2, 3].map((n) => ({ x: n * 100, y: n * 100 })) },
            { type: 'scroll', x: 300, y: 300, scroll_x: 0, scroll_y: -250 },
            { type: 'keypress', keys: ['CTRL', 'A'] },
            { type: 'type', text: 'hello' },
            { type: 'screenshot' },
          ],
        },
      ],
    },
    {
      id: 'resp_2',
      output: [
        {
          ...{ type: 'computer_call', id: 'cc_2', call_id: 'call_2', status: 'completed' },
          pending_safety_checks: [{ id: 'check_1', message: 'Suspicious.' }],
          actions: [{ type: 'click', button: 'left', x: 5000, y: 1 }],
        },
      ],
    },
    {
      id: 'resp_3',
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'Done.' }] }],
    },
  ]);
  const environment = `OPENAI_BASE_URL=${url} OPENAI_API_KEY=k OPENAI_MODEL=m`;
  const output = await examples.run(
    `echo y | ${environment} /usr/bin/python3 ${AGENTS}openai_agent.py 'Do it'`,
  );
  expect(output).toMatch(/Suspicious\. Continue\?/);
  expect(output).toMatch(/an action failed: .*5000/);
  expect(output).toMatch(/^Done\.$/m);

  expect(asked).toHaveLength(3);
  expect(asked[0]).toMatchObject({ tools: [{ type: 'computer' }], previous_response_id: null });
  const [first] = asked[1].input;
  expect(asked[1].previous_response_id).toBe('resp_1');
  expect(first).toMatchObject({ type: 'computer_call_output', call_id: 'call_1' });
  expect(first.output).toMatchObject({ type: 'computer_screenshot', detail: 'original' });
  expect(first.output.image_url).toMatch(/^data:image\/png;base64,iVBORw0KGgo/);
  const [second] = asked[2].input;
  expect(second.acknowledged_safety_checks).toEqual([{ id: 'check_1', message: 'Suspicious.' }]);
});
