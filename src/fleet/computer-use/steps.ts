import type { BatchAction } from '../../contract/actions/batch.js';
import { MAX_SCROLL_PIXELS } from '../../contract/constants.js';
import { ApiError } from '../../contract/errors.js';
import type { Size } from '../../screen/types.js';
import type { Place, UseAction, UseCall } from './actions.js';
import { editCode } from './edit-code.js';
import type { ToScreen } from './frames.js';

/** Seconds of a command of a model, and of an edit. */
const BASH_SECONDS = 120;
const EDIT_SECONDS = 15;
/** Seconds of a drag from press to release. */
const DRAG_SECONDS = 0.3;

/** What the actions of a call are translated with. */
export interface Translation {
  readonly toScreen: ToScreen;
  /** Of the screen, in its own pixels. */
  readonly pointer: Place;
  readonly screen: Size;
  /** Names of the secrets that texts may contain. */
  readonly secrets: readonly string[];
  /** The picture that the model's points belong to. */
  readonly shown: Size;
  /** The picture that a screenshot or zoom takes; `region` in the screen's pixels. */
  picture(region?: Extract<BatchAction, { action: 'screenshot' }>['region']): BatchAction;
}

const none = { scale: undefined, settle: undefined } as const;

/** The actions of the service for one of a model. Throws ApiError `off_screen` for a point outside. */
export function stepsOf(action: UseAction, by: Translation): BatchAction[] {
  const at = (place: Place | undefined) => (place === undefined ? by.pointer : by.toScreen(place));
  const keysOf = ({ keys }: { readonly keys?: readonly string[] | undefined }) => [...(keys ?? [])];
  switch (action.does) {
    case 'screenshot':
      return [by.picture()];
    case 'zoom':
      return [by.picture(zoomed(action, by))];
    case 'cursor':
      return [{ action: 'cursor' }];
    case 'move':
      return [{ action: 'move', ...at(action.at), keys: keysOf(action), ...none }];
    case 'click': {
      const { button, clicks } = action;
      const fields = { button, clicks, double: false, keys: keysOf(action), ...none };
      return [{ action: 'click', ...at(action.at), ...fields }];
    }
    case 'mouse_down':
    case 'mouse_up': {
      const place = action.at && by.toScreen(action.at);
      return [{ action: action.does, ...place, button: 'left', ...none }];
    }
    case 'drag':
      return [drag(action, by)];
    case 'scroll': {
      if (action.steps === 0) return [];
      const { direction, steps: amount } = action;
      const place = action.at && by.toScreen(action.at);
      return [{ action: 'scroll', direction, amount, ...place, keys: keysOf(action), ...none }];
    }
    case 'scroll_by':
      return scrollBy(action, by);
    case 'type':
      return [{ action: 'type', text: action.text, secrets: [...by.secrets], settle: undefined }];
    case 'key': {
      const hold =
        action.seconds === undefined ? {} : { hold_ms: Math.round(action.seconds * 1000) };
      const { key, repeat } = action;
      return [
        {
          action: 'key',
          key,
          ...(repeat === undefined ? {} : { repeat }),
          ...hold,
          settle: undefined,
        },
      ];
    }
    case 'key_down':
    case 'key_up':
      return [{ action: action.does, key: action.key, settle: undefined }];
    case 'wait':
      return [{ action: 'wait', seconds: action.seconds, timeout: 0 }];
    case 'bash': {
      const { command } = action;
      return [{ action: 'bash', command, timeout: BASH_SECONDS, background: false }];
    }
    case 'edit':
      return [{ action: 'exec', code: editCode(action.edit), timeout: EDIT_SECONDS }];
  }
}

function drag(
  { points, keys }: Extract<UseAction, { does: 'drag' }>,
  by: Translation,
): BatchAction {
  const places = points.map(by.toScreen);
  const through = places.length === 1 ? [by.pointer, ...places] : places;
  const [start = by.pointer, ...rest] = through;
  const end = rest.at(-1) ?? start;
  const path = rest.slice(0, -1).map(({ x, y }): [number, number] => [x, y]);
  return {
    action: 'drag',
    start_x: start.x,
    start_y: start.y,
    end_x: end.x,
    end_y: end.y,
    button: 'left',
    duration: DRAG_SECONDS,
    keys: [...(keys ?? [])],
    ...none,
    ...(path.length === 0 ? {} : { path }),
  };
}

function scrollBy(
  action: Extract<UseAction, { does: 'scroll_by' }>,
  { toScreen, screen }: Translation,
): BatchAction[] {
  const place = action.at && toScreen(action.at);
  if (action.x === 0 && action.y === 0) return place ? [{ action: 'move', ...place, ...none }] : [];
  const share = action.unit === 'thousandths';
  const pixels = (amount: number, size: number) => {
    const wanted = share ? (amount / 1000) * size : amount;
    return Math.max(-MAX_SCROLL_PIXELS, Math.min(MAX_SCROLL_PIXELS, wanted));
  };
  const delta_x = pixels(action.x, screen.width);
  const delta_y = pixels(action.y, screen.height);
  const keys = [...(action.keys ?? [])];
  return [{ action: 'scroll', amount: 3, delta_x, delta_y, ...place, keys, ...none }];
}

/** The region of a zoom; the point at its end is outside of it. */
function zoomed(
  { from, to }: Extract<UseAction, { does: 'zoom' }>,
  { toScreen, screen, shown }: Translation,
) {
  if (to.x <= from.x || to.y <= from.y) {
    throw new ApiError(
      'invalid_request',
      'region: must be [x0, y0, x1, y1] with x1 > x0, y1 > y0.',
    );
  }
  const start = toScreen(from);
  toScreen({ x: to.x - 1, y: to.y - 1 });
  const right = Math.round((to.x / shown.width) * screen.width);
  const bottom = Math.round((to.y / shown.height) * screen.height);
  return {
    ...start,
    width: Math.max(1, Math.min(right, screen.width) - start.x),
    height: Math.max(1, Math.min(bottom, screen.height) - start.y),
  };
}

/** True for an action at a point that the model named. */
export function hasPlace(action: UseAction): boolean {
  if (action.does === 'zoom' || action.does === 'drag') return true;
  return 'at' in action && action.at !== undefined;
}

/** Seconds that a call waits and holds keys. */
export function secondsOf({ actions }: UseCall): number {
  if ('error' in actions) return 0;
  return actions.reduce((sum, action) => {
    if (action.does !== 'wait' && action.does !== 'key') return sum;
    const repeat = action.does === 'key' ? (action.repeat ?? 1) : 1;
    return sum + (action.seconds ?? 0) * repeat;
  }, 0);
}
