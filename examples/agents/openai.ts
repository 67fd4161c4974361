// An agent with OpenAI's computer tool, over its Responses API. It uses the computer demo/desktop.
//
//   OPENAI_API_KEY=… OPENAI_MODEL=… node openai.ts 'Write a shopping list into list.txt'

import { createInterface } from 'node:readline/promises';

import { VirtualComputers } from 'virtual-computers';

const { OPENAI_API_KEY = '', OPENAI_MODEL = '' } = process.env;
const BASE_URL = process.env.OPENAI_BASE_URL ?? 'https://api.openai.com/v1';
const MOST_TURNS = 50;

const vc = new VirtualComputers();
const desk = vc.computer({ project: 'demo', name: 'desktop' });
const tools = await desk.computerUseTools('openai');

interface Answer {
  readonly id: string;
  readonly output: readonly {
    readonly type: string;
    readonly content?: readonly { readonly text?: string }[];
  }[];
}

async function ask(input: readonly object[], previous_response_id?: string): Promise<Answer> {
  const response = await fetch(`${BASE_URL}/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${OPENAI_API_KEY}` },
    body: JSON.stringify({ model: OPENAI_MODEL, tools, input, previous_response_id }),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

async function agrees(message: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`${message} Continue? [y/N] `);
  terminal.close();
  return answer.toLowerCase() === 'y';
}

/** Carries out the calls of a turn. A person, never a program, decides about safety checks. */
async function use(calls: readonly object[]): Promise<object[]> {
  const acknowledge: string[] = [];
  for (;;) {
    const { results, confirm } = await desk.computerUse<object>(calls, { acknowledge });
    if (confirm.length === 0) return results;
    for (const { id, message } of confirm) {
      if (!(await agrees(message ?? id))) throw new Error('stopped at a safety check');
      acknowledge.push(id);
    }
  }
}

let input: object[] = [{ role: 'user', content: process.argv[2] ?? 'Say hello.' }];
let previous: string | undefined;
for (let turn = 0; turn < MOST_TURNS; turn += 1) {
  const { id, output } = await ask(input, previous);
  previous = id;
  for (const { type, content = [] } of output) {
    if (type === 'message') console.log(content.map(({ text = '' }) => text).join(''));
  }
  const calls = output.filter(({ type }) => type === 'computer_call');
  if (calls.length === 0) break;
  input = await use(calls);
}
await vc.close();
