import type { Computer } from '@openai/agents';
import type { ComputerHandle, ComputerUseOptions } from '../index.js';

export interface OpenAIComputerOptions extends Omit<ComputerUseOptions, 'format' | 'quality'> {
  /**
   * Called with what a result, which is only a picture, cannot say to the model: that an action
   * failed, and why, or that a person had control in between.
   */
  readonly onMessage?: ((text: string) => void) | undefined;
  /** Asks a person about the safety checks of a call. Unless it resolves to true, the run ends. */
  readonly confirm?: ((checks: readonly SafetyCheck[]) => Promise<boolean> | boolean) | undefined;
}

/** A safety check of OpenAI, which comes with a call. */
export interface SafetyCheck {
  readonly id: string;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

/** Options of `computerTool`. */
export interface OpenAIComputer {
  readonly computer: Computer;
  /** Rejects if the checks are not confirmed: the SDK would carry out the call all the same. */
  readonly onSafetyCheck: (call: {
    readonly pendingSafetyChecks: readonly SafetyCheck[];
  }) => Promise<true>;
}

interface Item {
  readonly type: string;
  readonly output?: { readonly image_url: string };
  readonly content?: readonly { readonly text: string }[];
}

/**
 * A computer for `computerTool` of `@openai/agents`, for one run at a time. The actions of a call are
 * sent in one request, when the SDK asks for the picture after them.
 */
export function openaiComputer(
  computer: ComputerHandle,
  { onMessage, confirm, ...options }: OpenAIComputerOptions = {},
): OpenAIComputer {
  return {
    computer: adapted(computer, options, onMessage),
    onSafetyCheck: async ({ pendingSafetyChecks: checks }) => {
      if ((await confirm?.(checks)) === true) return true;
      const reasons = checks.map(({ message, code, id }) => message ?? code ?? id);
      throw new Error(`A safety check was not confirmed: ${reasons.join(' ')}`);
    },
  };
}

function adapted(
  computer: ComputerHandle,
  options: ComputerUseOptions,
  onMessage: OpenAIComputerOptions['onMessage'],
): Computer {
  let actions: object[] = [];
  const add = (action: object): void => {
    actions.push(action);
  };
  return {
    initRun: () => {
      // Of a run that was aborted before its picture.
      actions = [];
    },
    click: (x, y, button) => add({ type: 'click', x, y, button }),
    doubleClick: (x, y) => add({ type: 'double_click', x, y }),
    move: (x, y) => add({ type: 'move', x, y }),
    drag: (path) => add({ type: 'drag', path: path.map(([x, y]) => ({ x, y })) }),
    scroll: (x, y, scroll_x, scroll_y) => add({ type: 'scroll', x, y, scroll_x, scroll_y }),
    keypress: (keys) => add({ type: 'keypress', keys }),
    type: (text) => add({ type: 'type', text }),
    wait: () => add({ type: 'wait' }),
    screenshot: async () => {
      const call = { type: 'computer_call', call_id: crypto.randomUUID(), actions };
      actions = [];
      const { results } = await computer.computerUse<Item>([call], {
        ...options,
        dialect: 'openai',
      });
      for (const { content = [] } of results) for (const { text } of content) onMessage?.(text);
      const picture = results.find(({ output }) => output !== undefined)?.output;
      // The SDK adds the beginning of the address itself.
      return picture?.image_url.replace(/^data:[^,]+,/, '') ?? '';
    },
  };
}
