import type Anthropic from '@anthropic-ai/sdk';
import type { Interactions, Part } from '@google/genai';
import type OpenAI from 'openai';

/*
 * Every shape of a result, in the types of the vendors' SDKs: the type check is half of the test, and
 * that the service gives no other shapes is the other. `shapeOf` makes the shape of a result.
 */

const TEXT = { type: 'text', text: 'TEXT' } as const;
const IMAGE = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'DATA' },
} as const;
const URL = 'data:image/png;base64,DATA';

type AnthropicResult = Anthropic.ToolResultBlockParam & Anthropic.Beta.BetaToolResultBlockParam;

const toolResult = { type: 'tool_result', tool_use_id: 'ID' } as const;
const older = [
  { ...toolResult, content: [TEXT] },
  { ...toolResult, content: [IMAGE] },
  { ...toolResult, content: [TEXT], is_error: true },
] satisfies AnthropicResult[];
const toolset = older.map((result) => ({ ...result, toolset_name: 'computer' }));

/** `detail` is documented, and missing in the type of the SDK. */
interface Screenshot extends OpenAI.Responses.ResponseComputerToolCallOutputScreenshot {
  detail: 'original';
}
interface CallOutput extends OpenAI.Responses.ResponseInputItem.ComputerCallOutput {
  output: Screenshot;
}
const callOutput = {
  type: 'computer_call_output',
  call_id: 'ID',
  output: { type: 'computer_screenshot', image_url: URL, detail: 'original' },
} as const;
const openai = [
  callOutput,
  { ...callOutput, acknowledged_safety_checks: [{ id: 'ID', code: 'CODE', message: 'TEXT' }] },
] satisfies CallOutput[];
const told = [
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'TEXT' }] },
] satisfies OpenAI.Responses.EasyInputMessage[];
const ofOpenai: OpenAI.Responses.ResponseInputItem[] = [...openai, ...told];

const step = { type: 'function_result', call_id: 'ID', name: 'NAME' } as const;
const image = { type: 'image', data: 'DATA', mime_type: 'image/png' } as const;
const gemini = [
  { ...step, result: [image, TEXT] },
  { ...step, result: [image, TEXT], is_error: true },
] satisfies Interactions.FunctionResultStep[];

const part = {
  id: 'ID',
  name: 'NAME',
  parts: [{ inlineData: { mimeType: 'image/png', data: 'DATA' } }],
};
const generateContent = [
  { functionResponse: { ...part, response: { url: 'TEXT' } } },
  { functionResponse: { ...part, response: { url: 'TEXT', error: 'TEXT' } } },
] satisfies Part[];

/** Open models have no SDK; their servers take the messages of OpenAI's chat. */
type Chat = OpenAI.Chat.ChatCompletionUserMessageParam;
const url = { type: 'image_url', image_url: { url: URL } } as const;
const uiTars = [
  { role: 'user', content: [url] },
  { role: 'user', content: [TEXT, url] },
] satisfies Chat[];
/** A chat's own type has only text in the message of a tool; servers of Qwen take pictures there. */
const qwen = uiTars.map(({ content }) => ({ role: 'tool', tool_call_id: 'ID', content }));

export const shapes: Readonly<Record<string, readonly unknown[]>> = {
  // The shell and the editor have no toolset.
  anthropic: [...toolset, ...older],
  'anthropic-20251124': older,
  'anthropic-20250124': older,
  'anthropic-20241022': older,
  openai: ofOpenai,
  'openai-preview': ofOpenai,
  gemini,
  'gemini-generate-content': generateContent,
  qwen,
  'ui-tars': uiTars,
};

/** What stands for the value of these fields. */
const STANDS_FOR: Readonly<Record<string, string>> = {
  tool_use_id: 'ID',
  call_id: 'ID',
  tool_call_id: 'ID',
  id: 'ID',
  name: 'NAME',
  code: 'CODE',
  data: 'DATA',
  text: 'TEXT',
  message: 'TEXT',
  error: 'TEXT',
  url: 'TEXT',
};

/** A result with placeholders for what differs from call to call. */
export function shapeOf(result: unknown): unknown {
  const text = JSON.stringify(result, (key, value) => {
    if (typeof value !== 'string') return value;
    if (/^image\/\w+$/.test(value)) return 'image/png';
    return value.startsWith('data:image/') ? URL : (STANDS_FOR[key] ?? value);
  });
  return JSON.parse(text);
}
