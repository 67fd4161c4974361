import { shellWord } from '../../lib/text/shell-word.js';

/** A step of the demo: a title and a command line (without `vc`). */
export interface Step {
  readonly says: string;
  readonly argv: readonly string[];
}

/** Draws a colour gradient in a terminal. */
const PROGRAM = String.raw`python3 -c 'for y in range(22): print("".join(f"\033[48;2;{x*3};{y*11};{230-x*2}m " for x in range(78)) + "\033[0m")'`;

/** The steps in the computer `PROJECT/NAME`. */
export function drivingSteps(computer: string): Step[] {
  const bash = (command: string) => ['bash', computer, command];
  return [
    {
      says: 'Run a program and print its output',
      argv: bash('. /etc/os-release; echo "$PRETTY_NAME, $(nproc) cores"'),
    },
    {
      says: 'Open an editor on the desktop and wait for its window',
      argv: bash(`mousepad >/dev/null 2>&1 & ${windowOf('mousepad')}`),
    },
    {
      says: 'Type any Unicode text',
      argv: ['type', computer, 'Hello from vc!\nGrüße, Привет, 你好, 👍\n', '--settle'],
    },
    {
      says: 'Open a terminal next to it',
      argv: bash(
        `xfce4-terminal --geometry 80x24+560+80 >/dev/null 2>&1 & ${windowOf('xfce4-terminal')}`,
      ),
    },
    {
      says: 'Type a small program and press Enter',
      argv: ['type', computer, `${PROGRAM}\n`, '--settle'],
    },
    {
      says: 'Wait until the screen stops changing',
      argv: ['wait', computer, '--stable'],
    },
  ];
}

/** A command line quoted for a shell. */
export function shellLine(argv: readonly string[]): string {
  return ['vc', ...argv].map(shellWord).join(' ');
}

/** Waits for a window. xdotool fails when another window closes while it searches. */
function windowOf(program: string): string {
  const search = `timeout 20 xdotool search --sync --onlyvisible --class ${program}`;
  return `for try in 1 2 3; do ${search} && break; done >/dev/null 2>&1`;
}
