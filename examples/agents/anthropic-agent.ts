// An agent with Anthropic's computer use tools, over its Messages API.
//
//   ANTHROPIC_API_KEY=… ANTHROPIC_MODEL=… node anthropic-agent.ts 'Write a shopping list into list.txt'

import { type ComputerHandle, VirtualComputers } from 'virtual-computers';

const { ANTHROPIC_API_KEY = '', ANTHROPIC_MODEL = '' } = process.env;
const BASE_URL = process.env.ANTHROPIC_BASE_URL ?? 'https://api.anthropic.com';
const MOST_TURNS = 50;

/** What the computer cannot do on its own is switched off. */
const TOOLS = [
  {
    type: 'computer_toolset_20260801',
    configs: { left_mouse_down: { enabled: false }, left_mouse_up: { enabled: false } },
  },
];

interface ToolUse {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: {
    readonly coordinate?: [number, number];
    readonly start_coordinate?: [number, number];
    readonly text?: string;
    readonly repeat?: number;
    readonly duration?: number;
    readonly scroll_direction?: 'up' | 'down' | 'left' | 'right';
    readonly scroll_amount?: number;
    readonly region?: [number, number, number, number];
  };
}
type Block = ToolUse | { readonly type: 'text'; readonly text: string };

async function ask(messages: readonly unknown[]): Promise<Block[]> {
  const response = await fetch(`${BASE_URL}/v1/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': ANTHROPIC_API_KEY,
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify({ model: ANTHROPIC_MODEL, max_tokens: 4096, tools: TOOLS, messages }),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { content: Block[] }).content;
}

/** Where the pointer is, for actions without a coordinate. */
let pointer: [number, number] = [640, 400];

const CLICKS: Record<string, { button?: 'left' | 'right' | 'middle'; clicks?: number }> = {
  left_click: {},
  right_click: { button: 'right' },
  middle_click: { button: 'middle' },
  double_click: { clicks: 2 },
  triple_click: { clicks: 3 },
};

/** Carries out one call; resolves to the content of its result. */
async function act(desk: ComputerHandle, { name, input }: ToolUse): Promise<unknown[]> {
  const { coordinate, text = '', duration = 0 } = input;
  if (coordinate) pointer = coordinate;
  const [x, y] = pointer;
  const click = CLICKS[name];
  if (click) {
    const keys = text === '' ? [] : text.split('+');
    await desk.click(x, y, { ...click, keys, settle: true });
  } else if (name === 'mouse_move') await desk.move(x, y);
  else if (name === 'left_click_drag') {
    const [start_x, start_y] = input.start_coordinate ?? pointer;
    await desk.drag({ start_x, start_y, end_x: x, end_y: y, settle: true });
  } else if (name === 'scroll') {
    const { scroll_direction = 'down', scroll_amount: amount = 3 } = input;
    await desk.scroll(scroll_direction, { amount, x, y, settle: true });
  } else if (name === 'type') await desk.type(text, { settle: true });
  else if (name === 'key') {
    for (let i = 0; i < (input.repeat ?? 1); i += 1) await desk.key(text);
    await desk.wait({ until: 'stable', timeout: 2 });
  } else if (name === 'hold_key') {
    await desk.key(text, { hold_ms: Math.min(duration, 10) * 1000, settle: true });
  } else if (name === 'wait') await desk.wait({ seconds: Math.min(duration, 60) });
  else if (name === 'cursor_position') return [{ type: 'text', text: `X=${x}, Y=${y}` }];
  else if (name === 'screenshot' || name === 'zoom') {
    const [x0, y0, x1, y1] = input.region ?? [];
    const isPart = x0 !== undefined && y0 !== undefined && x1 !== undefined && y1 !== undefined;
    const region = isPart ? { x: x0, y: y0, width: x1 - x0, height: y1 - y0 } : undefined;
    // 1280 x 800 is within the limits of a picture, so coordinates are those of the screen.
    const image = await desk.screenshot({ region, settle: true });
    const data = Buffer.from(image).toString('base64');
    return [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }];
  } else throw new Error(`the computer has no ${name}`);
  return [{ type: 'text', text: 'OK' }];
}

/** Carries out the calls of one turn in their order; after a failure the rest is not executed. */
async function answer(desk: ComputerHandle, calls: readonly ToolUse[]): Promise<unknown[]> {
  const results: unknown[] = [];
  let hasFailed = false;
  for (const call of calls) {
    const result = { type: 'tool_result', tool_use_id: call.id, toolset_name: 'computer' };
    let text = 'Not executed: an earlier computer action in this turn failed.';
    if (!hasFailed) {
      try {
        results.push({ ...result, content: await act(desk, call) });
        continue;
      } catch (error) {
        hasFailed = true;
        text = error instanceof Error ? error.message : String(error);
      }
    }
    results.push({ ...result, is_error: true, content: [{ type: 'text', text }] });
  }
  return results;
}

const vc = new VirtualComputers();
const project = `anthropic-${Date.now()}`;
await vc.projects.create(project);
try {
  const desk = await vc.computers.create(project, { name: 'desk', resolution: '1280x800' });
  console.log('watch it:', (await desk.view('view')).url);
  const messages: unknown[] = [{ role: 'user', content: process.argv[2] ?? 'Say hello.' }];
  for (let turn = 0; turn < MOST_TURNS; turn += 1) {
    const content = await ask(messages);
    for (const block of content) if (block.type === 'text') console.log(block.text);
    const calls = content.filter((block) => block.type === 'tool_use');
    if (calls.length === 0) break;
    messages.push({ role: 'assistant', content });
    messages.push({ role: 'user', content: await answer(desk, calls) });
  }
} finally {
  await vc.projects.delete(project);
  await vc.close();
}
