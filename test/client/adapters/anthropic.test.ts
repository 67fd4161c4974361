import Anthropic from '@anthropic-ai/sdk';
import { afterEach, expect, it } from 'vitest';
import { anthropicTools } from '../../../src/client/adapters/anthropic.js';
import { messages } from '../../support/model/protocols.js';
import { openScriptedVendor, type ScriptedVendor } from '../../support/model/scripted-vendor.js';
import { fakeComputer } from './fake-computer.js';

let vendor: ScriptedVendor | undefined;
afterEach(() => vendor?.close());

const DECLARED = [
  { type: 'computer_toolset_20260801' },
  { type: 'bash_20250124', name: 'bash' },
  { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
];
const result = (content: object[], more: object = {}) => ({
  success: !('is_error' in more),
  results: [{ type: 'tool_result', tool_use_id: '', content, ...more }],
});
const text = (words: string) => ({ type: 'text', text: words });
const picture = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
};

it('the tool runner gets the results of the service, and a failure ends the turn', async () => {
  const { computer, calls } = fakeComputer(({ name }) => {
    if (name === 'double_click') return result([text('Outside.')], { is_error: true });
    return result([name === 'screenshot' ? picture : text(`did ${name}`)]);
  }, DECLARED);
  const turn = messages.turn(1, [{ does: 'screenshot' }]) as { content: object[] };
  const call = (id: string, name: string, input: object, more: object = {}) => ({
    ...{ type: 'tool_use', id, name, input },
    ...more,
  });
  const toolset = { toolset_name: 'computer' };
  turn.content.push(
    call('b', 'double_click', { coordinate: [9999, 1] }, toolset),
    call('c', 'type', { text: 'not typed' }, toolset),
    call('d', 'bash', { command: 'true' }),
  );
  vendor = await openScriptedVendor([turn, messages.end('Done.')]);
  const client = new Anthropic({ apiKey: 'k', baseURL: vendor.url, maxRetries: 0 });
  const last = await client.beta.messages.toolRunner({
    ...{ model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Go.' }] },
    tools: await anthropicTools(computer, { secrets: ['PASSWORD'] }),
  });
  expect(last.content).toMatchObject([{ text: 'Done.' }]);
  // What is declared is what the service has declared.
  expect(vendor.asked[0].tools).toEqual(DECLARED);
  const results = vendor.asked[1].messages.at(-1).content;
  expect(results).toMatchObject([
    { tool_use_id: 'toolu_1_0', toolset_name: 'computer', content: [picture] },
    { tool_use_id: 'b', is_error: true, content: [text('Outside.')] },
    { tool_use_id: 'c', is_error: true, content: expect.stringContaining('Not executed') },
    { tool_use_id: 'd', content: [text('did bash')] },
  ]);
  expect(calls.map(({ item }) => item.name).sort()).toEqual(['bash', 'double_click', 'screenshot']);
  expect(calls[0]?.options).toMatchObject({ dialect: 'anthropic', secrets: ['PASSWORD'] });
});

it('an older version of the tool is one with a size and a name', async () => {
  const older = {
    ...{ type: 'computer_20250124', name: 'computer' },
    ...{ display_width_px: 1280, display_height_px: 800 },
  };
  const { computer, calls } = fakeComputer(() => result([text('OK')]), [older]);
  const { content } = messages.turn(1, []) as { content: object[] };
  content.push({
    ...{ type: 'tool_use', id: 'a', name: 'computer' },
    input: { action: 'left_click', coordinate: [1, 2] },
  });
  vendor = await openScriptedVendor([{ ...messages.turn(1, []), content }, messages.end('Done.')]);
  const client = new Anthropic({ apiKey: 'k', baseURL: vendor.url, maxRetries: 0 });
  await client.beta.messages.toolRunner({
    ...{ model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Go.' }] },
    tools: await anthropicTools(computer, { dialect: 'anthropic-20250124' }),
  });
  expect(calls).toMatchObject([
    { item: { input: { action: 'left_click' } }, options: { dialect: 'anthropic-20250124' } },
  ]);
  expect(vendor.asked[0].tools).toEqual([older]);
});
