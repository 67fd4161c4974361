// An agent that sees numbered boxes and answers numbers in place of coordinates, over Anthropic's Messages
// API with tools of its own. It uses the computer demo/desktop.
//
//   ANTHROPIC_API_KEY=… ANTHROPIC_MODEL=… node marks.ts 'Open the text editor and write a shopping list'

import { ServiceError, VirtualComputers } from 'virtual-computers';

const { ANTHROPIC_API_KEY = '', ANTHROPIC_MODEL = '' } = process.env;
const BASE_URL = process.env.ANTHROPIC_BASE_URL ?? 'https://api.anthropic.com';
const MOST_TURNS = 50;

const vc = new VirtualComputers();
const desk = vc.computer({ project: 'demo', name: 'desktop' });

const tool = (name: string, description: string, property: string, type: string) => ({
  name,
  description,
  input_schema: { type: 'object', properties: { [property]: { type } }, required: [property] },
});
const tools = [
  tool('click', 'Clicks on the element with this number in the last picture.', 'mark', 'integer'),
  tool('type', 'Types a text; a newline is Enter.', 'text', 'string'),
  tool('key', 'Presses a key or combination, such as ctrl+s.', 'key', 'string'),
];

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: { readonly mark?: number; readonly text?: string; readonly key?: string };
}

async function ask(messages: readonly object[]): Promise<readonly Block[]> {
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
  return ((await response.json()) as { content: Block[] }).content;
}

/** The picture whose numbers the model uses. */
let frame = '';

/** The screen as the model sees it: a picture with numbers, and what has which number. */
async function look(): Promise<object[]> {
  const shown = await desk.markedScreenshot({ settle: true });
  frame = shown.frame;
  const lines = shown.marks.map(
    ({ mark, role, name }) => `${mark} ${role} ${JSON.stringify(name)}`,
  );
  const data = Buffer.from(shown.image).toString('base64');
  return [
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
    { type: 'text', text: lines.join('\n') || 'Nothing describes itself here.' },
  ];
}

async function act({ name, input = {} }: Block): Promise<void> {
  const { mark = 0, text = '', key = '' } = input;
  if (name === 'click') await desk.clickMark(mark, { frame });
  else if (name === 'type') await desk.type(text);
  else await desk.key(key);
}

const task = { type: 'text', text: process.argv[2] ?? 'Say hello.' };
const messages: object[] = [{ role: 'user', content: [task, ...(await look())] }];
for (let turn = 0; turn < MOST_TURNS; turn += 1) {
  const content = await ask(messages);
  for (const { type, text } of content) if (type === 'text') console.log(text);
  const calls = content.filter(({ type }) => type === 'tool_use');
  if (calls.length === 0) break;
  const results = [];
  for (const call of calls) {
    // An element that is gone or has moved is an error for the model, with a new picture below.
    const error = await act(call).then(
      () => undefined,
      (failed: unknown) => {
        if (failed instanceof ServiceError) return failed.message;
        throw failed;
      },
    );
    const answer = { type: 'tool_result', tool_use_id: call.id, is_error: error !== undefined };
    results.push({ ...answer, content: error ?? 'OK' });
  }
  messages.push(
    { role: 'assistant', content },
    { role: 'user', content: [...results, ...(await look())] },
  );
}
await vc.close();
