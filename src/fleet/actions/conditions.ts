import type {
  Condition,
  Conditions,
  Element,
  Elements,
  MetCondition,
} from '../../contract/actions/actions.js';
import { ApiError } from '../../contract/errors.js';
import { sleep } from '../../lib/async/sleep.js';
import { type GuestState, watchConditions } from '../../shell/conditions/watch.js';
import { matcher } from '../elements/elements.js';
import { withGuestDeadline } from '../guest-deadline.js';
import { findText, linesIn, lineText } from '../screen-text/find-text.js';
import type { Lines } from '../screen-text/screen-text.js';
import type { Session } from '../sessions/session.js';
import type { Locating } from './running-computers.js';

/** Milliseconds between two looks at the screen while it changes. */
const LIST_MS = 250;
/** Programs paint in steps: a look waits for so many milliseconds without a change. */
const PAINT_MS = 50;
/** Milliseconds between two looks at a still screen: programs can change elements without painting. */
const STILL_MS = 5_000;
/** Characters of what was read that an error repeats. */
const MOST_SEEN = 100;

interface Place {
  readonly session: Session;
  readonly elements: Pick<Locating, 'all' | 'text'>;
  /** How long to wait at most. */
  readonly seconds: number;
}

interface State extends GuestState {
  readonly element?: Element | undefined;
}

/** One of the conditions, and what was seen of it last. */
interface Watched {
  readonly condition: Condition;
  state?: State;
}

/**
 * Waits until the conditions are met, and resolves to those that hold. Throws `guest_timeout` with what
 * was seen last.
 */
export async function untilMet(
  { session, elements, seconds }: Place,
  { any, all, ...single }: Conditions,
  signal?: AbortSignal,
): Promise<MetCondition[]> {
  const watched: Watched[] = (any ?? all ?? [single]).map((condition) => ({ condition }));
  const of = any ? 'any' : all ? 'all' : undefined;
  const isMet = () => (any === undefined ? watched.every(holds) : watched.some(holds));
  const elementsWatched = watched.filter(({ condition }) => condition.element !== undefined);
  const texts = watched.filter(({ condition }) => condition.text !== undefined);
  const inGuest = watched.filter(
    (each) => !elementsWatched.includes(each) && !texts.includes(each),
  );

  const done = new AbortController();
  const check = () => isMet() && done.abort();
  const watch = (given: AbortSignal) => {
    const until = AbortSignal.any([given, done.signal]);
    const watching = [
      elementsWatched.length > 0 &&
        watchScreen({ session, watched: elementsWatched, check }, STILL_MS, until, async () => {
          const list = await elements.all(session, until);
          return (condition) => stateOf(condition, list);
        }),
      texts.length > 0 &&
        watchScreen({ session, watched: texts, check }, seconds * 1000, until, async () => {
          const lines = await elements.text(session, until);
          return (condition) => textState(condition, lines);
        }),
      inGuest.length > 0 && watchGuest({ session, seconds, watched: inGuest, check }, until),
    ];
    return Promise.all(watching);
  };
  try {
    await withGuestDeadline(seconds * 1000, 'The condition was not met in time.', signal, watch);
  } catch (error) {
    if (!done.signal.aborted) throw isLate(error) ? notMet({ watched, of, seconds }) : error;
  } finally {
    // Ends what still watches when another has failed.
    done.abort();
  }
  session.lastUsed = performance.now();
  return watched.filter(holds).map(({ condition, state }) => ({
    condition,
    seen: state?.seen ?? '',
    ...(state?.element && !condition.gone && { element: state.element }),
  }));
}

function holds({ condition, state }: Watched): boolean {
  return state?.holds !== undefined && state.holds !== (condition.gone ?? false);
}

interface Watching {
  readonly session: Session;
  readonly watched: readonly Watched[];
  /** Called when states have changed. */
  check(): void;
}

/** Watches what the guest knows: windows, files, ports, commands and pages. */
async function watchGuest(
  { session, seconds, watched, check }: Watching & Pick<Place, 'seconds'>,
  signal: AbortSignal,
): Promise<void> {
  const onStates = (states: readonly GuestState[]) => {
    for (const [index, each] of watched.entries()) {
      const state = states[index];
      if (state) each.state = state;
    }
    check();
  };
  const conditions = watched.map(({ condition }) => condition);
  await session.shell.use(
    (shell) => watchConditions(shell, { conditions, seconds, onStates }, signal),
    signal,
  );
}

/** Looks again when the screen has changed, or after `stillMs`. */
async function watchScreen(
  { session, watched, check }: Watching,
  stillMs: number,
  signal: AbortSignal,
  look: () => Promise<(condition: Condition) => State>,
): Promise<void> {
  await session.screen.use(async (screen) => {
    while (!signal.aborted) {
      const before = await screen.refresh(signal);
      const startedAt = performance.now();
      const stateOf = await look();
      for (const each of watched) each.state = stateOf(each.condition);
      check();
      const endedAt = performance.now();
      // Of a screen that always changes, such as one with a caret, not more than a third of the time.
      const restsUntil = endedAt + Math.max(LIST_MS, 2 * (endedAt - startedAt));
      const isStill = (await screen.refresh(signal)) === before;
      if (isStill) await screen.waitChange({ timeoutMs: stillMs, signal });
      await sleep(Math.max(0, restsUntil - performance.now()), signal);
      await screen.settle({ quietMs: PAINT_MS, maxMs: LIST_MS, signal });
    }
  }, signal);
}

function stateOf({ element: wanted = {} }: Condition, { elements, truncated }: Elements): State {
  const element = elements.find(matcher(wanted));
  if (element !== undefined) {
    return { holds: true, seen: `${element.role} ${JSON.stringify(element.name)}`, element };
  }
  return {
    holds: truncated ? undefined : false,
    seen: `${elements.length} other elements${truncated ? ', and there are more' : ''}`,
  };
}

function textState({ text = '', region }: Condition, all: Lines): State {
  const [x = 0, y = 0, width = 0, height = 0] = region ?? [];
  const lines = linesIn(all, region && { x, y, width, height });
  const [element] = findText(lines, text);
  if (element) return { holds: true, seen: element.value ?? element.name, element };
  if (lines.length === 0) return { holds: false, seen: 'no text' };
  const seen = lines.map(lineText).join(' ');
  const isCut = seen.length > MOST_SEEN;
  const part = isCut ? `${seen.slice(0, MOST_SEEN).toWellFormed()}…` : seen;
  return { holds: false, seen: `other text, ${JSON.stringify(part)}` };
}

function isLate(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'guest_timeout';
}

interface NotMet {
  readonly watched: readonly Watched[];
  readonly of: 'any' | 'all' | undefined;
  readonly seconds: number;
}

export const WAIT_LONGER = 'Increase "timeout" (vc: --timeout), at most 600 seconds.';

/** Names conditions by their kind and place: an error does not repeat a command. */
function notMet({ watched, of, seconds }: NotMet): ApiError {
  const lines = watched.flatMap((each, index) => {
    if (holds(each)) return [];
    const { gone, ...fields } = each.condition;
    const place = of === undefined ? '' : `${of}.${index}: `;
    const what = `${Object.keys(fields)[0]}${gone ? ' gone' : ''}`;
    return [`${place}${what} (last seen: ${each.state?.seen ?? 'nothing'})`];
  });
  const message = `Not met within ${seconds} s: ${lines.join('; ')}.`;
  return new ApiError('guest_timeout', message, { remedy: WAIT_LONGER });
}
