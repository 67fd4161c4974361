import { shellWord } from '../shell-word.js';

/** A step of the tour: what it shows, and the command line (without `vc`) that does it. */
export interface Step {
  readonly says: string;
  readonly argv: readonly string[];
}

/** A gradient of colours, as short as somebody would type it into a terminal. */
const PROGRAM = String.raw`python3 -c 'for y in range(22): print("".join(f"\033[48;2;{x*3};{y*11};{230-x*2}m " for x in range(78)) + "\033[0m")'`;

/** What happens in the computer, `PROJECT/NAME`. */
export function drivingSteps(computer: string): Step[] {
  const bash = (command: string) => ['computer', 'bash', computer, command];
  return [
    {
      says: 'A program runs in it as in any shell, and its output comes here',
      argv: bash('. /etc/os-release; echo "$PRETTY_NAME, $(nproc) cores"'),
    },
    {
      says: 'Open an editor on its desktop, and wait for the window',
      argv: bash(
        'mousepad >/dev/null 2>&1 & timeout 60 xdotool search --sync --onlyvisible --class mousepad >/dev/null',
      ),
    },
    {
      says: 'Type into it: any text arrives as it is',
      argv: ['computer', 'type', computer, 'Hello from vc!\nGrüße, Привет, 你好, 👍\n', '--settle'],
    },
    {
      says: 'Open a terminal beside it',
      argv: bash(
        'xfce4-terminal --geometry 80x24+560+80 >/dev/null 2>&1 & timeout 60 xdotool search --sync --onlyvisible --class xfce4-terminal >/dev/null',
      ),
    },
    {
      says: 'Type a small program that draws, and press Enter',
      argv: ['computer', 'type', computer, `${PROGRAM}\n`, '--settle'],
    },
    {
      says: 'Wait until nothing moves on the screen any more',
      argv: ['computer', 'wait', computer, '--stable'],
    },
  ];
}

/** A command line as it would be typed into a shell. */
export function shellLine(argv: readonly string[]): string {
  return ['vc', ...argv].map(shellWord).join(' ');
}
