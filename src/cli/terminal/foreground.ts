import { readFileSync } from 'node:fs';

/**
 * `background` for a background job of a shell, which the kernel stops if it reads the terminal or
 * changes its mode; `unknown` without a terminal or without /proc. Fields 5 and 8 of /proc/self/stat
 * are the process groups of this process and of its terminal.
 */
export function jobState(): 'foreground' | 'background' | 'unknown' {
  const stat = ownStat();
  const [, , group, , , owner] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (group === undefined || owner === undefined || owner === '-1') return 'unknown';
  return group === owner ? 'foreground' : 'background';
}

/** Without waiting: after SIGCONT the next line that is typed may already be there. */
function ownStat(): string {
  try {
    return readFileSync('/proc/self/stat', 'utf8');
  } catch {
    return '';
  }
}

/** How often a job looks whether it has become the foreground job: no shell signals that. */
const LOOK_MS = 500;

/**
 * Calls `onChange` when the shell has continued this job in the background (`bg`), and when it is in
 * the foreground again (`fg`). The returned function ends that.
 */
export function watchJob(onChange: (state: 'foreground' | 'background') => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const stopLooking = () => {
    clearInterval(timer);
    timer = undefined;
  };
  const look = () => {
    const state = jobState();
    if (state === 'background' && timer === undefined) {
      onChange('background');
      timer = setInterval(look, LOOK_MS).unref();
    } else if (state !== 'background' && timer !== undefined) {
      stopLooking();
      onChange('foreground');
    }
  };
  process.on('SIGCONT', look);
  return () => {
    process.off('SIGCONT', look);
    stopLooking();
  };
}
