import { ToolError } from '@anthropic-ai/sdk/helpers/beta/toolsets';
import type {
  BetaToolResultBlockParam,
  BetaToolRunnerParams,
  BetaToolUnion,
} from '@anthropic-ai/sdk/resources/beta/messages';
import type { ComputerHandle, ComputerUseOptions } from '../index.js';

export interface AnthropicToolsOptions extends ComputerUseOptions {
  /** Which tools; by default the computer toolset of the newest models. */
  readonly dialect?:
    | 'anthropic'
    | 'anthropic-20251124'
    | 'anthropic-20250124'
    | 'anthropic-20241022'
    | undefined;
}

/** The call that a tool is run for. */
interface Context {
  readonly toolUse: { readonly id: string };
  readonly signal?: AbortSignal | null | undefined;
}

/**
 * The tools of a computer for the tool runner of `@anthropic-ai/sdk`: the computer, the shell and the
 * text editor, as far as the computer has them. A call that fails is answered to the model as an
 * error, also one that the service refuses.
 */
export async function anthropicTools(
  computer: ComputerHandle,
  { dialect = 'anthropic', ...options }: AnthropicToolsOptions = {},
): Promise<BetaToolRunnerParams['tools']> {
  const tools = await computer.computerUseTools<BetaToolUnion>(dialect);
  const run = async ({ toolUse, signal }: Context) => {
    const { results } = await computer.computerUse<BetaToolResultBlockParam>([toolUse], {
      ...options,
      dialect,
      signal: signal ?? undefined,
    });
    const content = results[0]?.content;
    if (!Array.isArray(content)) throw new Error('The service answered without a result.');
    if (results[0]?.is_error) throw new ToolError(content);
    return content;
  };
  return tools.map((tool) =>
    tool.type === 'computer_toolset_20260801'
      ? { ...tool, run }
      : {
          ...tool,
          parse: (input: unknown) => input,
          run: (_: unknown, context: Context) => run(context),
        },
  ) as BetaToolRunnerParams['tools'];
}
