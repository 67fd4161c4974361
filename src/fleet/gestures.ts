import type * as actions from '../contract/actions.js';
import type { BatchAction } from '../contract/batch.js';
import { ApiError } from '../contract/errors.js';
import type { Settle } from '../contract/settle.js';
import type { Screen } from '../screen/types.js';
import { unscaled } from './scaling.js';

/** An action with mouse or keyboard, apart from when it is done. */
export interface Gesture {
  /** Milliseconds that it takes by itself, besides what the screen needs. */
  readonly takesMs: number;
  readonly settle: Settle;
  perform(screen: Screen, signal: AbortSignal): Promise<void>;
}

export function move({ x, y, scale, settle }: actions.Move): Gesture {
  return {
    takesMs: 0,
    settle,
    perform: async (screen, signal) => {
      const at = unscaled(screen.size, scale)(x, y);
      await screen.move(at.x, at.y, signal);
    },
  };
}

export function click(input: actions.Click): Gesture {
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

export function drag(input: actions.Drag): Gesture {
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

export function scroll({ direction, amount, x, y, scale, settle }: actions.Scroll): Gesture {
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

export function type({ text, delay_ms: delayMs = 0, settle }: actions.Type): Gesture {
  return {
    takesMs: text.length * (delayMs + 5),
    settle,
    perform: (screen, signal) => screen.type(text, { delayMs, signal }),
  };
}

export function key({ key: name, hold_ms: holdMs = 0, settle }: actions.Key): Gesture {
  return {
    takesMs: holdMs,
    settle,
    perform: (screen, signal) => screen.key(name, { holdMs, signal }),
  };
}

type Named<N extends BatchAction['action']> = Extract<BatchAction, { action: N }>;

/** The gesture that an action of a batch stands for. */
export function gestureOf(
  action: Named<'move' | 'click' | 'drag' | 'scroll' | 'type' | 'key'>,
): Gesture {
  switch (action.action) {
    case 'move':
      return move(action);
    case 'click':
      return click(action);
    case 'drag':
      return drag(action);
    case 'scroll':
      return scroll(action);
    case 'type':
      return type(action);
    case 'key':
      return key(action);
  }
}
