import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText, modelMessageSchema, stepCountIs } from 'ai';
import { afterEach, expect, it } from 'vitest';
import { type AiSdkOutput, aiSdkTools } from '../../../src/client/adapters/ai-sdk.js';
import { messages } from '../../support/model/protocols.js';
import { openScriptedVendor, type ScriptedVendor } from '../../support/model/scripted-vendor.js';
import { fakeComputer } from './fake-computer.js';

let vendor: ScriptedVendor | undefined;
afterEach(() => vendor?.close());

const picture = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
};
const text = (words: string) => ({ type: 'text', text: words });

it('calls of a turn run one after another, and none after one that fails', async () => {
  let running = 0;
  let most = 0;
  const { computer, calls } = fakeComputer(async ({ name, input }) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 20));
    running -= 1;
    if (input.coordinate?.[0] === 9999) {
      return { success: false, results: [{ content: [text('Outside.')], is_error: true }] };
    }
    return {
      success: true,
      results: [{ content: name === 'screenshot' ? [picture] : [text('OK')] }],
    };
  });
  vendor = await openScriptedVendor([
    messages.turn(1, [
      { does: 'screenshot' },
      { does: 'key', keys: ['ctrl', 's'] },
      { does: 'click', x: 9999, y: 1 },
      { does: 'type', text: 'not typed' },
    ]),
    messages.turn(2, [{ does: 'type', text: 'typed' }]),
    messages.end('Done.'),
  ]);
  const anthropic = createAnthropic({ apiKey: 'k', baseURL: `${vendor.url}/v1` });
  const tools = aiSdkTools(computer, { secrets: ['PASSWORD'] });
  const result = await generateText({
    ...{ model: anthropic('m'), prompt: 'Go.', stopWhen: stepCountIs(9), maxRetries: 0 },
    tools: {
      computer: anthropic.tools.computerToolset_20260801(tools.computer),
      bash: anthropic.tools.bash_20250124(tools.bash),
      str_replace_based_edit_tool: anthropic.tools.textEditor_20250728(tools.editor),
    },
  });
  expect(result.text).toBe('Done.');
  expect(most).toBe(1);
  expect(calls.map(({ item }) => item)).toEqual([
    call('toolu_1_0', 'screenshot', {}),
    call('toolu_1_1', 'key', { text: 'ctrl+s' }),
    call('toolu_1_2', 'left_click', { coordinate: [9999, 1] }),
    call('toolu_2_0', 'type', { text: 'typed' }),
  ]);
  expect(calls[0]?.options).toMatchObject({ dialect: 'anthropic', secrets: ['PASSWORD'] });
  const results = vendor.asked[1].messages.at(-1).content;
  const skipped = 'Not executed: an earlier computer action in this turn failed.';
  expect(results).toMatchObject([
    { tool_use_id: 'toolu_1_0', toolset_name: 'computer', content: [picture] },
    { tool_use_id: 'toolu_1_1', content: [text('OK')] },
    { tool_use_id: 'toolu_1_2', is_error: true, content: expect.stringContaining('Outside.') },
    { tool_use_id: 'toolu_1_3', is_error: true, content: expect.stringContaining(skipped) },
  ]);
});

const call = (id: string, name: string, input: object) => ({
  ...{ type: 'tool_use', id, name, input, toolset_name: 'computer' },
});

it('the shell and the editor get the calls of their tools', async () => {
  const { computer, calls } = fakeComputer(() => ({
    ...{ success: true, results: [{ content: [text('OK')] }] },
  }));
  const { bash, editor } = aiSdkTools(computer);
  const options = { toolCallId: 'a', messages: [] };
  expect(await bash.execute({ command: 'true' }, options)).toBe('OK');
  await editor.execute({ command: 'view', path: '/tmp' }, { ...options, toolCallId: 'b' });
  expect(calls.map(({ item }) => item)).toEqual([
    { type: 'tool_use', id: 'a', name: 'bash', input: { command: 'true' } },
    {
      ...{ type: 'tool_use', id: 'b', name: 'str_replace_based_edit_tool' },
      input: { command: 'view', path: '/tmp' },
    },
  ]);
});

it('results are valid for the schema of the SDK', () => {
  const { computer } = aiSdkTools(fakeComputer(() => ({})).computer);
  const content = [text('OK'), picture] as AiSdkOutput['content'];
  const output = computer.toModelOutput({ toolCallId: 'a', output: { content } });
  const result = { type: 'tool-result', toolCallId: 'a', toolName: 'computer', output };
  const message = { role: 'tool', content: [result] };
  expect(modelMessageSchema.parse(message)).toEqual(message);
});

it('version 5 gives an output alone, and gets its own kind of picture', () => {
  const { computer } = aiSdkTools(fakeComputer(() => ({})).computer);
  const output = { content: [picture] } as AiSdkOutput;
  expect(computer.toModelOutput(output)).toEqual({
    type: 'content',
    value: [{ type: 'media', data: 'iVBORw0KGgo=', mediaType: 'image/png' }],
  });
});
