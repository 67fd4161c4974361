// An agent with Anthropic's computer use tools, over its Messages API. It uses the computer demo/desktop.
//
//   ANTHROPIC_API_KEY=… ANTHROPIC_MODEL=… node anthropic.ts 'Write a shopping list into list.txt'

import { VirtualComputers } from 'virtual-computers';

const { ANTHROPIC_API_KEY = '', ANTHROPIC_MODEL = '' } = process.env;
const BASE_URL = process.env.ANTHROPIC_BASE_URL ?? 'https://api.anthropic.com';
const MOST_TURNS = 50;

const vc = new VirtualComputers();
const desk = vc.computer({ project: 'demo', name: 'desktop' });
const tools = await desk.computerUseTools('anthropic');

interface Message {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly stop_reason: string;
}

async function ask(messages: readonly object[]): Promise<Message> {
  const response = await fetch(`${BASE_URL}/v1/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': ANTHROPIC_API_KEY,
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify({ model: ANTHROPIC_MODEL, max_tokens: 4096, tools, messages }),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  return (await response.json()) as Message;
}

const messages: object[] = [{ role: 'user', content: process.argv[2] ?? 'Say hello.' }];
for (let turn = 0; turn < MOST_TURNS; turn += 1) {
  const { content, stop_reason } = await ask(messages);
  for (const { type, text } of content) if (type === 'text') console.log(text);
  if (stop_reason !== 'tool_use') break;
  const { results } = await desk.computerUse(content);
  messages.push({ role: 'assistant', content }, { role: 'user', content: results });
}
await vc.close();
