import type { ComputerHandle, ComputerUseOptions } from '../index.js';

/** What a call of a tool has answered. */
export interface AiSdkOutput {
  readonly content: readonly (
    | { readonly type: 'text'; readonly text: string }
    | {
        readonly type: 'image';
        readonly source: { readonly media_type: string; readonly data: string };
      }
  )[];
}

interface CallOptions {
  readonly toolCallId: string;
  readonly messages: readonly unknown[];
  readonly abortSignal?: AbortSignal | undefined;
}
type Text = { type: 'text'; text: string };
type Content<Picture> = { type: 'content'; value: (Text | Picture)[] };

/** Options of a tool of `anthropic.tools` in `@ai-sdk/anthropic`. */
export interface AiSdkTool<Input extends object, Output> {
  /** Rejects with a text for the model if the call fails. */
  readonly execute: (input: Input, options: CallOptions) => Promise<Output>;
}

export interface AiSdkComputerTool extends AiSdkTool<{ readonly action: string }, AiSdkOutput> {
  /** Of version 6 and later, and of version 5. */
  readonly toModelOutput: {
    (given: {
      readonly toolCallId: string;
      readonly output: AiSdkOutput;
    }): Content<{ type: 'image-data'; data: string; mediaType: string }>;
    (output: AiSdkOutput): Content<{ type: 'media'; data: string; mediaType: string }>;
  };
}

/** The tools of a computer; those of the shell only where it has one. */
export interface AiSdkTools {
  /** For `computerToolset_20260801`, and for the versions before. */
  readonly computer: AiSdkComputerTool;
  /** For `bash_20250124`. */
  readonly bash: AiSdkTool<object, string>;
  /** For `textEditor_20250728`. */
  readonly editor: AiSdkTool<object, string>;
}

interface Result extends AiSdkOutput {
  readonly is_error?: boolean;
}

const SKIPPED = 'Not executed: an earlier computer action in this turn failed.';

/**
 * The tools of a computer for the AI SDK. It starts all calls of a turn at once; here they run one
 * after another, and not after one that failed.
 */
export function aiSdkTools(computer: ComputerHandle, options: ComputerUseOptions = {}): AiSdkTools {
  let last: Promise<unknown> = Promise.resolve();
  /** Messages before a turn, which its calls share, if one of them has failed. */
  const failed = new WeakSet<object>();
  const use = async (call: object, { messages, abortSignal: signal }: CallOptions) => {
    if (failed.has(messages)) throw new Error(SKIPPED);
    try {
      const { success, results } = await computer.computerUse<Result>([call], {
        ...options,
        dialect: 'anthropic',
        signal,
      });
      if (!success) failed.add(messages);
      const content = results[0]?.content ?? [];
      if (results[0]?.is_error) throw new Error(textOf(content));
      return { content };
    } catch (error) {
      failed.add(messages);
      throw error;
    }
  };
  const run = (item: object, call: CallOptions): Promise<AiSdkOutput> => {
    const done = last.then(() => use({ type: 'tool_use', id: call.toolCallId, ...item }, call));
    last = done.catch(() => undefined);
    return done;
  };
  const textTool = (name: string): AiSdkTool<object, string> => ({
    execute: async (input, call) => textOf((await run({ name, input }, call)).content),
  });
  return {
    computer: {
      execute: ({ action, ...input }, call) =>
        run({ name: action, toolset_name: 'computer', input }, call),
      toModelOutput,
    },
    bash: textTool('bash'),
    editor: textTool('str_replace_based_edit_tool'),
  };
}

function textOf(content: AiSdkOutput['content']): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

type Given = { readonly toolCallId: string; readonly output: AiSdkOutput };

function toModelOutput(
  given: Given,
): Content<{ type: 'image-data'; data: string; mediaType: string }>;
function toModelOutput(
  output: AiSdkOutput,
): Content<{ type: 'media'; data: string; mediaType: string }>;
function toModelOutput(given: Given | AiSdkOutput): object {
  const isNewer = 'output' in given;
  const { content } = isNewer ? given.output : given;
  const value = content.map((part) =>
    part.type === 'text'
      ? part
      : {
          type: isNewer ? 'image-data' : 'media',
          data: part.source.data,
          mediaType: part.source.media_type,
        },
  );
  return { type: 'content', value };
}
