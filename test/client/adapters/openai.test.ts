import { Agent, computerTool, OpenAIProvider, Runner } from '@openai/agents';
import OpenAI from 'openai';
import { afterEach, expect, it } from 'vitest';
import { openaiComputer } from '../../../src/client/adapters/openai.js';
import { type Asked, responses } from '../../support/model/protocols.js';
import { openScriptedVendor, type ScriptedVendor } from '../../support/model/scripted-vendor.js';
import { fakeComputer } from './fake-computer.js';

let vendor: ScriptedVendor | undefined;
afterEach(() => vendor?.close());

const PICTURE = 'data:image/png;base64,iVBORw0KGgo=';
const output = {
  type: 'computer_call_output',
  output: { type: 'computer_screenshot', image_url: PICTURE },
};
const failure = {
  ...{ type: 'message', role: 'user' },
  content: [{ type: 'input_text', text: 'The point 9999, 1 is outside.' }],
};

function runnerOf({ url }: ScriptedVendor): Runner {
  const openAIClient = new OpenAI({ apiKey: 'k', baseURL: `${url}/v1`, maxRetries: 0 });
  return new Runner({
    modelProvider: new OpenAIProvider({ openAIClient }),
    tracingDisabled: true,
  });
}

it('the actions of a call are one request, and the program gets the errors that the model cannot', async () => {
  const { computer, calls } = fakeComputer(({ actions }) =>
    actions[0]?.x === 9999
      ? { success: false, results: [output, failure] }
      : { success: true, results: [output] },
  );
  const turns: Asked[][] = [
    [
      { does: 'click', x: 1, y: 2 },
      { does: 'type', text: 'é' },
      { does: 'key', keys: ['CTRL', 'S'] },
    ],
    [{ does: 'click', x: 9999, y: 1 }],
  ];
  vendor = await openScriptedVendor([
    ...turns.map((actions, number) => responses.turn(number, actions)),
    responses.end('Done.'),
  ]);
  const told: string[] = [];
  const agent = new Agent({
    ...{ name: 'a', model: 'gpt-5.4' },
    tools: [computerTool(openaiComputer(computer, { onMessage: (text) => told.push(text) }))],
  });
  const { finalOutput } = await runnerOf(vendor).run(agent, 'Go.');
  expect(finalOutput).toBe('Done.');
  expect(vendor.asked[0].tools).toEqual([{ type: 'computer' }]);
  expect(calls.map(({ item }) => item.actions)).toEqual([
    [
      { type: 'click', x: 1, y: 2, button: 'left' },
      { type: 'type', text: 'é' },
      { type: 'keypress', keys: ['CTRL', 'S'] },
    ],
    [{ type: 'click', x: 9999, y: 1, button: 'left' }],
  ]);
  expect(new Set(calls.map(({ item }) => item.call_id)).size).toBe(2);
  const results = vendor.asked
    .at(-1)
    .input.filter(({ type }: { type: string }) => type === 'computer_call_output');
  expect(results).toMatchObject([
    { call_id: 'call_0', output: { image_url: PICTURE } },
    { call_id: 'call_1', output: { image_url: PICTURE } },
  ]);
  expect(told).toEqual(['The point 9999, 1 is outside.']);
});

it('the actions of a run that ended before its picture are not carried out by the next', async () => {
  const { computer, calls } = fakeComputer(() => ({ success: true, results: [output] }));
  const { computer: adapted } = openaiComputer(computer);
  await adapted.type('left over');
  await adapted.initRun?.();
  expect(await adapted.screenshot()).toBe('iVBORw0KGgo=');
  expect(calls[0]?.item.actions).toEqual([]);
});

it.each([
  ['nobody is asked', undefined],
  ['a person says no', async () => false],
])('a call with a safety check is not carried out if %s', async (_, confirm) => {
  const { computer, calls } = fakeComputer(() => ({ success: true, results: [output] }));
  const { runner, agent } = await askedToConfirm(openaiComputer(computer, { confirm }));
  await expect(runner.run(agent, 'Go.')).rejects.toThrow(
    'A safety check was not confirmed: Suspicious.',
  );
  expect(calls).toEqual([]);
});

it('a call with a safety check is carried out once a person has confirmed it', async () => {
  const { computer, calls } = fakeComputer(() => ({ success: true, results: [output] }));
  const asked: unknown[] = [];
  const adapted = openaiComputer(computer, { confirm: (checks) => asked.push(checks) === 1 });
  const { runner, agent } = await askedToConfirm(adapted);
  expect((await runner.run(agent, 'Go.')).finalOutput).toBe('Done.');
  expect(asked).toMatchObject([[{ id: 'check_1', message: 'Suspicious.' }]]);
  expect(calls).toHaveLength(1);
  const result = vendor?.asked.at(-1).input.at(-1);
  expect(result).toMatchObject({ acknowledged_safety_checks: [{ id: 'check_1' }] });
});

/** A run whose model asks for a click that has to be confirmed. */
async function askedToConfirm(adapted: ReturnType<typeof openaiComputer>) {
  const turn = responses.turn(1, [{ does: 'click', x: 1, y: 1 }]) as { output: object[] };
  const pending_safety_checks = [{ id: 'check_1', code: 'malicious', message: 'Suspicious.' }];
  const [call] = turn.output;
  vendor = await openScriptedVendor([
    { ...turn, output: [{ ...call, pending_safety_checks }] },
    responses.end('Done.'),
  ]);
  const agent = new Agent({ name: 'a', model: 'gpt-5.4', tools: [computerTool(adapted)] });
  return { runner: runnerOf(vendor), agent };
}
