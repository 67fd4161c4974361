import { eventually } from '../eventually.js';
import type { Desktop } from '../service/desktop.js';

const LOG = '/tmp/guest-events.log';
/** A key that no call presses, with the name of its symbol. The X server sends events in order. */
const MARK = 'F9';
const MODIFIERS = /^(Shift|Control|Alt|Meta|Super)_[LR]$/;
const STATES = [
  [4, 'ctrl'],
  [8, 'alt'],
  [64, 'super'],
  [1, 'shift'],
] as const;
const BUTTONS: Readonly<Record<string, string>> = {
  ...{ 1: 'left', 2: 'middle', 3: 'right', 8: 'back', 9: 'forward' },
  ...{ 4: 'wheel up', 5: 'wheel down', 6: 'wheel left', 7: 'wheel right' },
};

/** One event of the X server, as the program in the computer received it. */
interface GuestEvent {
  readonly kind: 'KeyPress' | 'KeyRelease' | 'ButtonPress' | 'ButtonRelease' | 'MotionNotify';
  /** Milliseconds of the X server's clock. */
  readonly time: number;
  /** On the screen. */
  readonly at: string;
  /** `+ctrl+shift` of the keys that were held; empty for none. */
  readonly held: string;
  /** Name of the button or of the key's symbol. */
  readonly name: string;
  /** The character that the key writes; empty for a key that writes none. */
  readonly character: string;
}

/** What a program in the computer saw during a call. */
export interface Seen {
  /**
   * In order: `move 1,2`, `click left x2 1,2 +ctrl`, `press left 1,2`, `release left 1,2`,
   * `drag left 1,2 > 3,4`, `wheel up x3 1,2`, `key ctrl+s`, `type Hello`, `down shift`, `up shift`.
   * The keys that are held for another event are in it, and not apart.
   */
  readonly happened: readonly string[];
  /** Milliseconds from each press of a key or button to the next one. */
  readonly gaps: readonly number[];
  /** Milliseconds from the first press of a key or button to the last release. */
  readonly held: number;
  /** Positions of the pointer while a button was pressed. */
  readonly path: readonly string[];
}

/**
 * Starts a program in the computer that records the mouse and the keyboard. Its window covers the
 * screen, has the focus, and is not one of the window manager, which passes on no press that comes
 * before it has passed on the one before (see docs/troubleshooting.md).
 */
export async function recordGuestEvents(desktop: Desktop): Promise<void> {
  await desktop.run(
    `xev -geometry 1280x800+0+0 -event mouse -event keyboard >>${LOG} 2>&1 & echo started`,
  );
  await desktop.until('xdotool search --onlyvisible --name "Event Tester" >/dev/null');
  await desktop.run(
    [
      'window=$(xdotool search --onlyvisible --name "Event Tester")',
      'xdotool windowunmap --sync $window',
      // Until then the window manager would unmap it again.
      'while xprop -id $window WM_STATE | grep -Eq "Normal|Iconic"; do sleep 0.05; done',
      'xdotool set_window --overrideredirect 1 $window windowmap $window',
      // An unmapped window cannot have the focus.
      'until xdotool windowmove $window 0 0 windowsize $window 1280 800 windowraise $window',
      'do sleep 0.05; done',
      'until xwininfo -id $window | grep -q IsViewable; do xdotool windowmap $window; sleep 0.05; done',
      'xdotool windowfocus $window',
    ].join('\n'),
  );
  await desktop.computer.wait({ until: 'stable' });
}

/** What the program sees while `act` runs. */
export async function seenDuring<T>(
  desktop: Desktop,
  act: () => Promise<T>,
): Promise<Seen & { readonly result: T }> {
  await marked(desktop);
  await desktop.run(`: >${LOG}`);
  const result = await act();
  const events = await marked(desktop);
  return { ...summaryOf(events), result };
}

/** All events until a mark that is set now. */
async function marked(desktop: Desktop): Promise<GuestEvent[]> {
  await desktop.computer.key(MARK);
  return eventually(async () => {
    const events = read(await desktop.run(`cat ${LOG}`));
    const end = events.findIndex(({ kind, name }) => kind === 'KeyPress' && name === MARK);
    const isWhole = events.some(({ kind, name }) => kind === 'KeyRelease' && name === MARK);
    return isWhole && events.slice(0, end);
  });
}

function read(log: string): GuestEvent[] {
  return log.split('\n\n').flatMap((text) => {
    const [, kind] =
      /^\s*(KeyPress|KeyRelease|ButtonPress|ButtonRelease|MotionNotify) /.exec(text) ?? [];
    if (kind === undefined) return [];
    const found = (pattern: RegExp) => pattern.exec(text)?.[1] ?? '';
    const state = Number(found(/state (0x[\da-f]+)/));
    const hex = found(/XLookupString gives \d+ bytes: \(([\da-f]{2})\)/);
    const code = Number.parseInt(hex || '0', 16);
    return [
      {
        kind: kind as GuestEvent['kind'],
        time: Number(found(/ time (\d+),/)),
        at: found(/root:\((-?\d+,-?\d+)\)/),
        held: heldIn(state),
        name: kind.startsWith('Key')
          ? found(/keysym 0x[\da-f]+, (\w+)/)
          : (BUTTONS[found(/button (\d+)/)] ?? ''),
        character: code >= 32 && code < 127 ? String.fromCharCode(code) : '',
      },
    ];
  });
}

function heldIn(state: number): string {
  return STATES.filter(([bit]) => (state & bit) !== 0)
    .map(([, name]) => `+${name}`)
    .join('');
}

function summaryOf(events: readonly GuestEvent[]): Seen {
  const presses = events.filter(({ kind }) => kind === 'KeyPress' || kind === 'ButtonPress');
  const releases = events.filter(({ kind }) => kind === 'KeyRelease' || kind === 'ButtonRelease');
  const path: string[] = [];
  let isPressed = false;
  for (const { kind, at } of events) {
    if (kind.startsWith('Button')) isPressed = kind === 'ButtonPress';
    if (isPressed && path.at(-1) !== at) path.push(at);
  }
  return {
    happened: happenedIn(events),
    gaps: presses.slice(1).map(({ time }, index) => time - (presses[index]?.time ?? time)),
    held: (releases.at(-1)?.time ?? 0) - (presses[0]?.time ?? 0),
    path,
  };
}

/** See {@link Seen.happened}. */
function happenedIn(events: readonly GuestEvent[]): string[] {
  const happened: string[] = [];
  const modifiers: string[] = [];
  let pressed: GuestEvent | undefined;
  let isUsed = false;
  for (const event of events) {
    const { kind, at, held, name } = event;
    const where = `${at}${held === '' ? '' : ` ${held}`}`;
    const modifier = MODIFIERS.exec(name)?.[1]?.toLowerCase();
    if (modifier !== undefined) {
      if (kind === 'KeyPress') isUsed = false;
      modifiers.push(`${kind === 'KeyPress' ? 'down' : 'up'} ${modifier}`);
      if (isUsed) modifiers.length = 0;
      else if (kind === 'KeyRelease') happened.push(...modifiers.splice(0));
      continue;
    }
    isUsed = true;
    modifiers.length = 0;
    if (kind === 'MotionNotify' && pressed === undefined) {
      if (happened.at(-1)?.startsWith('move ')) happened.pop();
      happened.push(`move ${at}`);
    }
    if (kind === 'ButtonPress') {
      pressed = event;
      happened.push(`press ${name} ${where}`);
    }
    if (kind === 'ButtonRelease') {
      if (pressed?.name === name) {
        happened.pop();
        if (pressed.at !== at) happened.push(`drag ${name} ${pressed.at} > ${where}`);
        else add(happened, name.startsWith('wheel') ? name : `click ${name}`, where);
      } else happened.push(`release ${name} ${at}`);
      pressed = undefined;
    }
    if (kind === 'KeyPress') press(happened, event);
  }
  return [...happened, ...modifiers];
}

/** Adds a click or a step of the wheel, or counts it with the same one before. */
function add(happened: string[], what: string, where: string): void {
  const before = /^(.*?)(?: x(\d+))? (\d+,\d+.*)$/.exec(happened.at(-1) ?? '');
  const count = before?.[1] === what && before[3] === where ? Number(before[2] ?? 1) : 0;
  if (count > 0) happened.pop();
  happened.push(`${what}${count > 0 ? ` x${count + 1}` : ''} ${where}`);
}

/** Adds a key: characters as typed text, others and combinations by their names. */
function press(happened: string[], { held, name, character }: GuestEvent): void {
  if (character !== '' && !/ctrl|alt|super/.test(held)) {
    const before = happened.at(-1)?.startsWith('type ') ? happened.pop() : 'type ';
    happened.push(`${before}${character}`);
    return;
  }
  happened.push(`key ${[...held.split('+').filter(Boolean), name].join('+')}`);
}
