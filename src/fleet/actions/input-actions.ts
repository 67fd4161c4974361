import type * as actions from '../../contract/actions/actions.js';
import type { Settle } from '../../contract/actions/settle.js';
import { ApiError } from '../../contract/errors.js';
import type { Screen } from '../../screen/types.js';
import { unscaled } from './coordinates.js';

/** A mouse or keyboard action that was checked and can be performed on a screen. */
export interface PreparedInput {
  /** Milliseconds that the action itself lasts, without the display server's answer. */
  readonly takesMs: number;
  readonly settle: Settle;
  perform(screen: Screen, signal: AbortSignal): Promise<void>;
}

function move({ x, y, scale, settle }: actions.Move): PreparedInput {
  return {
    takesMs: 0,
    settle,
    perform: async (screen, signal) => {
      const at = unscaled(screen.size, scale)(x, y);
      await screen.move(at.x, at.y, signal);
    },
  };
}

function click(input: actions.Click): PreparedInput {
  const { button, keys, settle } = input;
  const clicks = input.clicks ?? (input.double ? 2 : 1);
  return {
    takesMs: 0,
    settle,
    perform: async (screen, signal) => {
      const at = unscaled(screen.size, input.scale)(input.x, input.y);
      await screen.click({ ...at, button, clicks, keys }, signal);
    },
  };
}

function drag(input: actions.Drag): PreparedInput {
  const durationMs = input.duration * 1000;
  const through = [
    [input.start_x, input.start_y] as const,
    ...(input.path ?? []),
    [input.end_x, input.end_y] as const,
  ];
  return {
    takesMs: durationMs,
    settle: input.settle,
    perform: async (screen, signal) => {
      const toScreen = unscaled(screen.size, input.scale);
      const points = through.map(([x, y]) => {
        const at = toScreen(x, y);
        return [at.x, at.y] as const;
      });
      await screen.drag({ points, button: input.button, durationMs }, signal);
    },
  };
}

function scroll({ direction, amount, x, y, scale, settle }: actions.Scroll): PreparedInput {
  if ((x === undefined) !== (y === undefined)) {
    throw new ApiError('invalid_request', 'x and y must be given together, or both left out.');
  }
  return {
    takesMs: 0,
    settle,
    perform: async (screen, signal) => {
      const at =
        x === undefined || y === undefined ? undefined : unscaled(screen.size, scale)(x, y);
      await screen.scroll({ direction, amount, ...(at ? { at } : {}) }, signal);
    },
  };
}

function type({ text, delay_ms: delayMs = 0, settle }: actions.Type): PreparedInput {
  return {
    takesMs: text.length * (delayMs + 5),
    settle,
    perform: (screen, signal) => screen.type(text, { delayMs, signal }),
  };
}

function key({ key: name, hold_ms: holdMs = 0, settle }: actions.Key): PreparedInput {
  return {
    takesMs: holdMs,
    settle,
    perform: (screen, signal) => screen.key(name, { holdMs, signal }),
  };
}

const preparations: {
  readonly [N in actions.InputActionName]: (input: actions.InputActions[N]) => PreparedInput;
} = { move, click, drag, scroll, type, key };

/** Throws ApiError `invalid_request` for what the schema cannot check. */
export function prepareInput<N extends actions.InputActionName>(
  name: N,
  input: actions.InputActions[N],
): PreparedInput {
  return preparations[name](input);
}
