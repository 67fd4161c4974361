import type * as actions from '../../contract/actions/actions.js';
import type { Settle } from '../../contract/actions/settle.js';
import { MAX_HOLD_MS, SCROLL_STEP_PIXELS } from '../../contract/constants.js';
import { ApiError } from '../../contract/errors.js';
import type { Point } from '../../screen/geometry.js';
import type { Screen, ScrollInput } from '../../screen/types.js';
import type { MarkRequest } from '../elements/marks.js';
import type { Fill } from '../secrets/secrets.js';
import { unscaled } from './coordinates.js';

/** A mouse or keyboard action that was checked and can be performed on a screen. */
export interface PreparedInput {
  /** Milliseconds that the action itself lasts, without the display server's answer. */
  readonly takesMs: number;
  readonly settle: Settle;
  /** The element in whose middle it is performed: its id, or its mark in a picture. */
  readonly element?: string | MarkRequest | undefined;
  /** Where that is. */
  readonly at?: Point;
  /** `at` is the middle of its element. */
  perform(screen: Screen, signal: AbortSignal, at?: Point): Promise<void>;
}

function move({ x, y, keys, scale, settle }: actions.Move): PreparedInput {
  return {
    takesMs: 0,
    settle,
    perform: async (screen, signal) => {
      const at = unscaled(screen.size, scale)(x, y);
      await screen.move(at.x, at.y, signal, keys);
    },
  };
}

function click(input: actions.Click): PreparedInput {
  const { button, mark, frame, keys, settle, scale } = input;
  const element = mark === undefined ? input.element : { mark, frame };
  const clicks = input.clicks ?? (input.double ? 2 : 1);
  const place = optionalPoint(input);
  const places = [place, input.element, mark].filter((each) => each !== undefined).length;
  if (places === 0) {
    const message = 'x is missing: a click needs x and y, an element, or a mark.';
    throw new ApiError('invalid_request', message);
  }
  if (places > 1) {
    const message = 'Only one of x and y, element, and mark can be given.';
    throw new ApiError('invalid_request', message);
  }
  if (frame !== undefined && mark === undefined) {
    throw new ApiError('invalid_request', 'frame needs a mark.');
  }
  return {
    takesMs: 0,
    settle,
    element,
    perform: async (screen, signal, found) => {
      const at = place ? unscaled(screen.size, scale)(place.x, place.y) : found;
      if (at === undefined) throw new TypeError('no position');
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
      await screen.drag({ points, button: input.button, durationMs, keys: input.keys }, signal);
    },
  };
}

function scroll(input: actions.Scroll): PreparedInput {
  const { keys, scale, settle } = input;
  const place = optionalPoint(input);
  const turns = wheelTurns(input);
  return {
    takesMs: 0,
    settle,
    perform: async (screen, signal) => {
      const at = place && unscaled(screen.size, scale)(place.x, place.y);
      for (const turn of turns) {
        await screen.scroll({ ...turn, keys, ...(at ? { at } : {}) }, signal);
      }
    },
  };
}

/** The turns of the wheel, vertical before horizontal: by steps or by pixels. */
function wheelTurns(input: actions.Scroll): Pick<ScrollInput, 'direction' | 'amount'>[] {
  const { direction, amount, delta_x: x = 0, delta_y: y = 0 } = input;
  const inPixels = input.delta_x !== undefined || input.delta_y !== undefined;
  if (inPixels === (direction !== undefined)) {
    throw new ApiError(
      'invalid_request',
      'Either direction, or delta_x or delta_y in pixels must be given.',
    );
  }
  if (direction !== undefined) return [{ direction, amount }];
  const steps = (pixels: number) =>
    Math.max(Math.round(Math.abs(pixels) / SCROLL_STEP_PIXELS), pixels === 0 ? 0 : 1);
  return [
    { direction: y < 0 ? ('up' as const) : ('down' as const), amount: steps(y) },
    { direction: x < 0 ? ('left' as const) : ('right' as const), amount: steps(x) },
  ].filter((turn) => turn.amount > 0);
}

/** Throws ApiError `invalid_request` for half a point. */
function optionalPoint({ x, y }: Partial<Point>): Point | undefined {
  if (x !== undefined && y !== undefined) return { x, y };
  if (x === undefined && y === undefined) return undefined;
  throw new ApiError('invalid_request', 'x and y must be given together, or both left out.');
}

function mouseButton(act: 'press' | 'release', input: actions.MouseDown): PreparedInput {
  const { button, keys, scale, settle } = input;
  const place = optionalPoint(input);
  return {
    takesMs: 0,
    settle,
    perform: async (screen, signal) => {
      const at = place && unscaled(screen.size, scale)(place.x, place.y);
      await screen[act]({ button, keys, at }, signal);
    },
  };
}

function heldKey(act: 'keyDown' | 'keyUp', { key, settle }: actions.KeyDown): PreparedInput {
  return { takesMs: 0, settle, perform: (screen, signal) => screen[act](key, signal) };
}

/** The same action with the values of its secrets; `secrets` are those that the text contains. */
export function fillText<T extends Pick<actions.Type, 'text' | 'secrets'>>(
  input: T,
  fill: Fill,
): T {
  const { text, used } = fill(input.text, input.secrets);
  return { ...input, text, secrets: [...used] };
}

function type({ text, delay_ms: delayMs = 0, settle, secrets = [] }: actions.Type): PreparedInput {
  return {
    takesMs: text.length * (delayMs + 5),
    settle,
    perform: async (screen, signal) => {
      try {
        await screen.type(text, { delayMs, signal });
      } catch (error) {
        throw secrets.length === 0 ? error : withoutText(error);
      }
    },
  };
}

/** The error of a text with secrets: messages can quote the text that was not typed. */
function withoutText(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== 'unsupported') return error;
  return new ApiError('unsupported', 'The text with its secrets could not be typed completely.', {
    remedy: 'Click into a text field first, or use a secret of ASCII characters.',
  });
}

function key({ key: name, hold_ms: holdMs = 0, repeat = 1, settle }: actions.Key): PreparedInput {
  if (holdMs * repeat > MAX_HOLD_MS) {
    const message = `repeat times hold_ms must be at most ${MAX_HOLD_MS}.`;
    throw new ApiError('invalid_request', message);
  }
  return {
    takesMs: holdMs * repeat,
    settle,
    perform: (screen, signal) => screen.key(name, { holdMs, repeat, signal }),
  };
}

const preparations: {
  readonly [N in actions.InputActionName]: (input: actions.InputActions[N]) => PreparedInput;
} = {
  move,
  click,
  drag,
  scroll,
  type,
  key,
  mouseDown: (input) => mouseButton('press', input),
  mouseUp: (input) => mouseButton('release', input),
  keyDown: (input) => heldKey('keyDown', input),
  keyUp: (input) => heldKey('keyUp', input),
};

/** Throws ApiError `invalid_request` for what the schema cannot check. */
export function prepareInput<N extends actions.InputActionName>(
  name: N,
  input: actions.InputActions[N],
): PreparedInput {
  return preparations[name](input);
}
