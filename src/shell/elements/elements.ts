import type { Element, Elements } from '../../contract/actions/actions.js';
import { ApiError } from '../../contract/errors.js';
import type { Shell } from '../types.js';
import { BUS } from './bus.js';
import { noTree, parseElements } from './parse.js';
import { SELECT } from './select.js';
import { WALK } from './walk.js';

export interface WalkRequest {
  /** Most elements. */
  readonly limit: number;
  /** Size of the screen. */
  readonly width: number;
  readonly height: number;
  /** Milliseconds for the walk in the guest. */
  readonly walkMs: number;
  /** Milliseconds to connect in the guest, to start the program and to read what it prints. */
  readonly startMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** The program took too long. The guest has ended it, so it is not frozen. */
export class SlowList extends ApiError {
  constructor() {
    super('guest_timeout', 'The computer did not list its elements in time.', {
      remedy: 'Try again, or use a screenshot.',
    });
  }
}

/** Exit codes: bash found no program, and the program is not the right one. */
const NO_PROGRAM = 127;
/** Longest list of windows that is handed over, in lines and characters of a line. */
const WINDOWS = { lines: 200, characters: 100 } as const;

/** The elements on the screen, those of the active window first. Never call it twice at once. */
export async function listElements(shell: Shell, request: WalkRequest): Promise<Elements> {
  return walk(shell, request);
}

/** An element by its id, as it is now; undefined when it is gone or cannot be seen. */
export async function findElement(
  shell: Shell,
  id: string,
  request: Omit<WalkRequest, 'limit'>,
): Promise<Element | undefined> {
  const { elements } = await walk(shell, { ...request, limit: 1 }, id);
  return elements.find((each) => each.id === id);
}

async function walk(
  shell: Shell,
  { limit, width, height, walkMs, startMs, signal }: WalkRequest,
  id = '',
): Promise<Elements> {
  const { stdout, exitCode, timedOut } = await shell.run({
    command: script([limit, width, height, walkMs], id),
    timeoutMs: walkMs + startMs,
    background: false,
    ...(signal && { signal }),
  });
  if (timedOut) throw new SlowList();
  if (exitCode === NO_PROGRAM) throw noTree();
  return parseElements(stdout, limit);
}

/**
 * Runs the program with the list of windows, whose order on the screen AT-SPI does not tell. Its source
 * comes on standard input, so that nothing is installed and every image has the version that fits.
 */
function script(numbers: readonly number[], id: string): string {
  return `command -v python3 >/dev/null || exit ${NO_PROGRAM}
windows=$(
  timeout 2 wmctrl -lGp 2>/dev/null | cut -c 1-${WINDOWS.characters} | head -n ${WINDOWS.lines}
  timeout 2 xprop -root _NET_CLIENT_LIST_STACKING _NET_ACTIVE_WINDOW 2>/dev/null | cut -c 1-4000
)
exec python3 -IS - ${numbers.map(Math.round).join(' ')} "$windows" '${id}' '# vc: elements' <<'VC_PROGRAM'
${BUS}
${WALK}
${SELECT}
VC_PROGRAM
`;
}
