// An agent with UI-TARS, which writes its actions as text, over a chat API such as that of vLLM. It uses the computer demo/desktop.
//
//   UI_TARS_API_KEY=… UI_TARS_MODEL=… node ui-tars.ts 'Write a shopping list into list.txt'

import { VirtualComputers } from 'virtual-computers';

const { UI_TARS_API_KEY = '', UI_TARS_MODEL = '' } = process.env;
const BASE_URL = process.env.UI_TARS_BASE_URL ?? 'http://127.0.0.1:8000/v1';
const MOST_TURNS = 50;

const vc = new VirtualComputers();
const desk = vc.computer({ project: 'demo', name: 'desktop' });
const [actions] = await desk.computerUseTools<{ text: string }>('ui-tars');
const PROMPT = `You are given a task and pictures of a screen. Say what to do next.

## Output Format
Thought: ...
Action: ...

## Action Space
${actions?.text}

## Task
`;

async function ask(messages: readonly object[]): Promise<string> {
  const response = await fetch(`${BASE_URL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${UI_TARS_API_KEY}` },
    body: JSON.stringify({ model: UI_TARS_MODEL, messages }),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
  const [first] = choices;
  if (first === undefined) throw new Error('The model gave no answer.');
  return first.message.content;
}

// The model asks for no first picture.
const picture = Buffer.from(await desk.screenshot()).toString('base64');
const screen = { type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } };
const task = { type: 'text', text: `${PROMPT}${process.argv[2] ?? 'Say hello.'}` };
const messages: object[] = [{ role: 'user', content: [task, screen] }];
for (let turn = 0; turn < MOST_TURNS; turn += 1) {
  const content = await ask(messages);
  console.log(content);
  const action = content.split('Action:').at(-1)?.trim() ?? '';
  if (!content.includes('Action:') || /^(finished|call_user)\(/.test(action)) break;
  const { results } = await desk.computerUse<object>([content], { dialect: 'ui-tars' });
  messages.push({ role: 'assistant', content }, ...results);
}
await vc.close();
