// An agent with Gemini's computer use tool, over its generateContent API. It uses the computer demo/desktop.
//
//   GEMINI_API_KEY=… GEMINI_MODEL=… node gemini.ts 'Write a shopping list into list.txt'

import { createInterface } from 'node:readline/promises';

import { VirtualComputers } from 'virtual-computers';

const { GEMINI_API_KEY = '', GEMINI_MODEL = '' } = process.env;
const BASE_URL = process.env.GEMINI_BASE_URL ?? 'https://generativelanguage.googleapis.com';
const MOST_TURNS = 50;

const vc = new VirtualComputers();
const desk = vc.computer({ project: 'demo', name: 'desktop' });
const tools = await desk.computerUseTools('gemini-generate-content');

interface Part {
  readonly text?: string;
  readonly functionCall?: object;
}
interface Content {
  readonly role: string;
  readonly parts: readonly Part[];
}

async function ask(contents: readonly object[]): Promise<Content> {
  const response = await fetch(`${BASE_URL}/v1beta/models/${GEMINI_MODEL}:generateContent`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-goog-api-key': GEMINI_API_KEY },
    body: JSON.stringify({ tools, contents }),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  const { candidates } = (await response.json()) as { candidates: { content: Content }[] };
  const [first] = candidates;
  if (first === undefined) throw new Error('The model gave no answer.');
  return first.content;
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

const contents: object[] = [{ role: 'user', parts: [{ text: process.argv[2] ?? 'Say hello.' }] }];
for (let turn = 0; turn < MOST_TURNS; turn += 1) {
  const content = await ask(contents);
  for (const { text } of content.parts) if (text !== undefined) console.log(text);
  const calls = content.parts.filter(({ functionCall }) => functionCall !== undefined);
  if (calls.length === 0) break;
  contents.push(content, { role: 'user', parts: await use(calls) });
}
await vc.close();
