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
 * Calls `onChange` before this job is suspended (Ctrl-Z), if it is in the background when it is
 * continued (`bg`), and when it is in the foreground again (`fg`). The returned function ends that.
 * A job that still reads the terminal when it is continued in the background is stopped again.
 */
export function watchJob(onChange: (state: 'foreground' | 'background') => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const stopLooking = () => {
    clearInterval(timer);
    timer = undefined;
  };
  const leave = () => {
    if (timer !== undefined) return;
    onChange('background');
    timer = setInterval(look, LOOK_MS).unref();
  };
  const look = () => {
    if (jobState() === 'background') return leave();
    if (timer === undefined) return;
    stopLooking();
    process.off('SIGTSTP', suspend).on('SIGTSTP', suspend);
    onChange('foreground');
  };
  // Without a handler of its own the signal stops the process.
  const suspend = () => {
    leave();
    process.off('SIGTSTP', suspend);
    process.kill(process.pid, 'SIGTSTP');
  };
  process.on('SIGTSTP', suspend);
  process.on('SIGCONT', look);
  return () => {
    process.off('SIGTSTP', suspend);
    process.off('SIGCONT', look);
    stopLooking();
  };
}
