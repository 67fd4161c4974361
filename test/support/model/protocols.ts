import type { Json } from '../service/service.js';

/** An action of a scripted model, and in which words of a vendor it asks for it. */
export type Asked =
  | { readonly does: 'screenshot' }
  | { readonly does: 'click'; readonly x: number; readonly y: number }
  | { readonly does: 'key'; readonly keys: readonly string[] }
  | { readonly does: 'type'; readonly text: string };

/** The HTTP protocol of a vendor, as far as a scripted model needs it. */
export interface Protocol {
  /** The answer that asks for actions, all in one turn. */
  turn(number: number, actions: readonly Asked[]): object;
  /** The answer that ends the loop. */
  end(text: string): object;
  /** The results that a request brings: how many, and those that are errors. */
  results(request: Json): { readonly count: number; readonly errors: readonly unknown[] };
}

const message = (content: readonly object[], stop_reason: string) => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content },
  ...{ stop_reason, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } },
});

function memberOf(asked: Asked): readonly [name: string, input: object] {
  if (asked.does === 'click') return ['left_click', { coordinate: [asked.x, asked.y] }];
  if (asked.does === 'key') return ['key', { text: asked.keys.join('+') }];
  return asked.does === 'type' ? ['type', { text: asked.text }] : ['screenshot', {}];
}

/** Messages API, with the computer toolset. */
export const messages: Protocol = {
  turn: (number, actions) => {
    const calls = actions.map((asked, index) => {
      const [name, input] = memberOf(asked);
      const id = `toolu_${number}_${index}`;
      return { type: 'tool_use', id, toolset_name: 'computer', name, input };
    });
    return message([{ type: 'text', text: `Turn ${number}.` }, ...calls], 'tool_use');
  },
  end: (text) => message([{ type: 'text', text }], 'end_turn'),
  results: ({ messages: all }) => {
    const results = (all.at(-1).content as Json[]).filter(({ type }) => type === 'tool_result');
    return { count: results.length, errors: results.filter(({ is_error }) => is_error) };
  },
};

const response = (output: readonly object[]) => ({
  ...{ id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'm', output },
  usage: {
    ...{ input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  },
});

function actionOf(asked: Asked): object {
  if (asked.does === 'click') return { type: 'click', button: 'left', x: asked.x, y: asked.y };
  if (asked.does === 'key') return { type: 'keypress', keys: asked.keys };
  return asked.does === 'type' ? { type: 'type', text: asked.text } : { type: 'screenshot' };
}

/** Responses API, with the computer tool. */
export const responses: Protocol = {
  turn: (number, actions) =>
    response([
      {
        ...{ type: 'computer_call', id: `cu_${number}`, call_id: `call_${number}` },
        ...{ status: 'completed', pending_safety_checks: [], actions: actions.map(actionOf) },
      },
    ]),
  end: (text) =>
    response([
      {
        ...{ type: 'message', id: 'out_1', role: 'assistant', status: 'completed' },
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    ]),
  results: ({ input }) => {
    const outputs = (input as Json[]).filter(({ type }) => type === 'computer_call_output');
    const isPicture = ({ output }: Json) =>
      /^data:image\/png;base64,iVBORw0KGgo/.test(output.image_url);
    // The SDK sends the whole conversation each time.
    return { count: outputs.length > 0 ? 1 : 0, errors: outputs.filter((one) => !isPicture(one)) };
  },
};
