// An agent with Qwen and the function `computer_use`, over a chat API such as that of vLLM. It uses the computer demo/desktop.
//
//   QWEN_API_KEY=… QWEN_MODEL=… node qwen.ts 'Write a shopping list into list.txt'

import { VirtualComputers } from 'virtual-computers';

const { QWEN_API_KEY = '', QWEN_MODEL = '' } = process.env;
const BASE_URL = process.env.QWEN_BASE_URL ?? 'http://127.0.0.1:8000/v1';
const MOST_TURNS = 50;

const vc = new VirtualComputers();
const desk = vc.computer({ project: 'demo', name: 'desktop' });
const tools = await desk.computerUseTools('qwen');

interface Message {
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[];
}

async function ask(messages: readonly object[]): Promise<Message> {
  const response = await fetch(`${BASE_URL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${QWEN_API_KEY}` },
    body: JSON.stringify({ model: QWEN_MODEL, tools, messages }),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  const { choices } = (await response.json()) as { choices: { message: Message }[] };
  const [first] = choices;
  if (first === undefined) throw new Error('The model gave no answer.');
  return first.message;
}

// The model asks for no first picture.
const picture = Buffer.from(await desk.screenshot()).toString('base64');
const screen = { type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } };
const task = { type: 'text', text: process.argv[2] ?? 'Say hello.' };
const messages: object[] = [{ role: 'user', content: [task, screen] }];
for (let turn = 0; turn < MOST_TURNS; turn += 1) {
  const message = await ask(messages);
  const { content, tool_calls: calls = [] } = message;
  if (content) console.log(content);
  if (calls.length === 0) break;
  const { results } = await desk.computerUse<object>(calls);
  messages.push(message, ...results);
  const last = calls.map((call) => JSON.parse(call.function.arguments)).at(-1);
  if (last.action === 'answer') console.log(last.text);
  if (last.action === 'answer' || last.action === 'terminate') break;
}
await vc.close();
