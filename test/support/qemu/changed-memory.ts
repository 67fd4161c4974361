import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';

const PYTHON = '/usr/bin/python3';

/** Why the memory of another process cannot be read here; undefined if it can. */
export function memoryProblem(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root may read the memory of another process';
  try {
    execFileSync(PYTHON, ['-c', 'pass']);
    return undefined;
  } catch {
    return `${PYTHON} is not installed`;
  }
}

/** A program in Python that reads orders as lines, and answers each with a line. */
export interface PythonProgram {
  readonly pid: number;
  ask(line: string): Promise<string>;
  close(): Promise<void>;
}

export async function startPython(
  program: string,
  args: readonly string[],
): Promise<PythonProgram> {
  const child = spawn(PYTHON, ['-c', program, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  await nextLine(lines);
  return {
    pid: child.pid ?? 0,
    ask: (line) => {
      const answer = nextLine(lines);
      child.stdin.write(`${line}\n`);
      return answer;
    },
    close: () => end(child),
  };
}

async function nextLine(lines: Interface): Promise<string> {
  const [line] = await once(lines, 'line');
  return line;
}

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
