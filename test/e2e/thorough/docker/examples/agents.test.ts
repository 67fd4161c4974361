import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { agentCommand, type Examples, openExamples } from '../../../../support/cli/examples.js';
import {
  openScriptedVendor,
  type ScriptedVendor,
} from '../../../../support/model/scripted-vendor.js';
import { type Desktop, openDesktop } from '../../../../support/service/desktop.js';
import type { Json } from '../../../../support/service/service.js';

const PICTURE = /iVBORw0KGgo/;
const CHECK = { id: 'check_1', message: 'Suspicious.' };

interface Vendor {
  /** Its programs, in TypeScript and in Python. */
  readonly programs: readonly [string, string];
  /** Prefix of the variables of its programs. */
  readonly prefix: string;
  /** Where it serves its protocol. */
  readonly path: string;
  /** The turn that asks to type the text, with the id of the call, and the one that ends the loop. */
  readonly turns: (text: string, id: string) => readonly [object, object];
  /** True if a person has to confirm the turn. */
  readonly isChecked?: true;
  /** The first request declares the tool and has the task. */
  readonly first: (request: Json) => void;
  /** The second brings the result. */
  readonly second: (request: Json, id: string) => void;
}

const chat = (message: object) => ({ choices: [{ message: { role: 'assistant', ...message } }] });

function expectPictures(messages: Json): void {
  expect(messages[0].content.map(({ type }: Json) => type)).toEqual(['text', 'image_url']);
  expect(JSON.stringify(messages[0])).toMatch(PICTURE);
  expect(JSON.stringify(messages[2])).toMatch(PICTURE);
}

const VENDORS: readonly Vendor[] = [
  {
    ...{ programs: ['anthropic.ts', 'anthropic.py'], prefix: 'ANTHROPIC' },
    ...{ path: '/v1/messages' },
    turns: (text, id) => [
      {
        stop_reason: 'tool_use',
        content: [
          { type: 'text', text: 'First I look.' },
          ...[
            ['screenshot', {}],
            ['type', { text }],
            ['left_click', { coordinate: [5000, 9] }],
          ].map(([name, input]) => ({
            ...{ type: 'tool_use', toolset_name: 'computer', id: `${id}_${name}`, name, input },
          })),
        ],
      },
      { stop_reason: 'end_turn', content: [{ type: 'text', text: 'Done.' }] },
    ],
    first: ({ tools, messages, model }) => {
      expect(model).toBe('m');
      expect(tools[0].type).toBe('computer_toolset_20260801');
      expect(messages).toEqual([{ role: 'user', content: 'Do it' }]);
    },
    second: ({ messages }) => {
      const [a, b, c] = messages[2].content;
      expect(a.content[0].source.data).toMatch(PICTURE);
      expect(b.content).toEqual([{ type: 'text', text: 'OK' }]);
      expect(c.is_error).toBe(true);
    },
  },
  {
    ...{ programs: ['openai.ts', 'openai.py'], prefix: 'OPENAI', path: '/responses' },
    isChecked: true,
    turns: (text, id) => [
      {
        id: 'resp_1',
        output: [
          {
            ...{ type: 'computer_call', id: 'cc_1', call_id: id, status: 'completed' },
            pending_safety_checks: [CHECK],
            actions: [{ type: 'type', text }, { type: 'screenshot' }],
          },
        ],
      },
      {
        id: 'resp_2',
        output: [{ type: 'message', content: [{ type: 'output_text', text: 'Done.' }] }],
      },
    ],
    first: ({ tools, input }) => {
      expect(tools).toEqual([{ type: 'computer' }]);
      expect(input).toEqual([{ role: 'user', content: 'Do it' }]);
    },
    second: ({ previous_response_id, input }, id) => {
      expect(previous_response_id).toBe('resp_1');
      expect(input[0]).toMatchObject({ type: 'computer_call_output', call_id: id });
      expect(input[0].acknowledged_safety_checks).toEqual([CHECK]);
      expect(input[0].output.image_url).toMatch(PICTURE);
    },
  },
  {
    ...{ programs: ['gemini.ts', 'gemini.py'], prefix: 'GEMINI' },
    ...{ path: '/v1beta/models/m:generateContent', isChecked: true },
    turns: (text, id) => {
      const safety_decision = { decision: 'require_confirmation', explanation: 'Suspicious.' };
      const args = { text, intent: 'to write', safety_decision };
      const parts = [{ functionCall: { id, name: 'type', args } }];
      return [
        { candidates: [{ content: { role: 'model', parts } }] },
        { candidates: [{ content: { role: 'model', parts: [{ text: 'Done.' }] } }] },
      ];
    },
    first: ({ tools, contents }) => {
      expect(tools[0].computerUse.environment).toBe('ENVIRONMENT_DESKTOP');
      expect(contents).toEqual([{ role: 'user', parts: [{ text: 'Do it' }] }]);
    },
    second: ({ contents }, id) => {
      const [{ functionResponse }] = contents[2].parts;
      expect(functionResponse).toMatchObject({ id, name: 'type' });
      expect(functionResponse.response.safety_acknowledgement).toBe('true');
      expect(functionResponse.parts[0].inlineData.data).toMatch(PICTURE);
    },
  },
  {
    ...{ programs: ['qwen.ts', 'qwen.py'], prefix: 'QWEN', path: '/chat/completions' },
    turns: (text, id) => {
      const call = (callId: string, args: object) => ({
        ...{ id: callId, type: 'function' },
        function: { name: 'computer_use', arguments: JSON.stringify(args) },
      });
      const answer = call(`${id}_end`, { action: 'answer', text: 'Done.' });
      return [
        chat({ content: null, tool_calls: [call(id, { action: 'type', text })] }),
        chat({ content: null, tool_calls: [answer] }),
      ];
    },
    first: ({ tools, messages }) => {
      expect(tools[0].function.name).toBe('computer_use');
      expect(messages[0].content[0].text).toBe('Do it');
    },
    second: ({ messages }, id) => {
      expectPictures(messages);
      expect(messages[2]).toMatchObject({ role: 'tool', tool_call_id: id });
    },
  },
  {
    ...{ programs: ['ui-tars.ts', 'ui_tars.py'], prefix: 'UI_TARS' },
    ...{ path: '/chat/completions' },
    turns: (text) => [
      chat({ content: `Thought: I write.\nAction: type(content='${text}')` }),
      chat({ content: "Thought: Done.\nAction: finished(content='Done.')" }),
    ],
    first: ({ messages }) => {
      expect(messages[0].content[0].text).toMatch(/left_double\(start_box=[\s\S]*\nDo it$/);
    },
    second: ({ messages }) => {
      expectPictures(messages);
      expect(messages[2].role).toBe('user');
    },
  },
];

let desktop: Desktop;
let examples: Examples;
let vendor: ScriptedVendor | undefined;
beforeAll(async () => {
  desktop = await openDesktop();
  examples = openExamples(desktop.service);
  // Writes what is typed into it, line by line.
  await desktop.run("(xterm -T typed -e 'cat >/tmp/typed' >/dev/null 2>&1 &)");
  await desktop.until('xdotool getactivewindow getwindowname | grep -q typed');
});
afterEach(() => vendor?.close());
afterAll(() => desktop?.close());

describe.each(VENDORS)('the agent $programs', (agent) => {
  it.each(agent.programs)('%s types for its model and ends', async (program) => {
    const text = `${program} here`;
    // Another id for each attempt: a call is answered once.
    const id = `call_${randomUUID()}`;
    vendor = await openScriptedVendor([...agent.turns(text, id)]);
    const { prefix } = agent;
    const environment = `${prefix}_BASE_URL=${vendor.url} ${prefix}_API_KEY=k ${prefix}_MODEL=m`;
    const person = agent.isChecked ? 'echo y | ' : '';
    const command = `${person}${environment} ${await agentCommand(examples, desktop.project, program)} 'Do it'`;
    const output = await examples.run(command);
    expect(output).toMatch(/Done\./);
    expect(/Suspicious\. Continue\?/.test(output)).toBe(agent.isChecked === true);

    expect(vendor.paths).toEqual([agent.path, agent.path]);
    const [first, second] = vendor.asked;
    agent.first(first);
    agent.second(second, id);
    await desktop.computer.key('Enter');
    await desktop.until(`grep -qx '${text}' /tmp/typed`);
  });
});

it('without a person who agrees, nothing is typed', async () => {
  const agent = VENDORS.find(({ prefix }) => prefix === 'OPENAI') as Vendor;
  for (const program of agent.programs) {
    vendor = await openScriptedVendor([...agent.turns('never typed', `call_${randomUUID()}`)]);
    const environment = `OPENAI_BASE_URL=${vendor.url} OPENAI_API_KEY=k OPENAI_MODEL=m`;
    const command = `echo n | ${environment} ${await agentCommand(examples, desktop.project, program)} 'Do it'`;
    await expect(examples.run(command)).rejects.toThrow(/stopped at a safety check/);
    expect(vendor.asked).toHaveLength(1);
    vendor.close();
  }
  await desktop.computer.key('Enter');
  expect(await desktop.run('cat /tmp/typed')).not.toContain('never typed');
});
