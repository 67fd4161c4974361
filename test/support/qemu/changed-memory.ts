import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';

/** Why the memory of another process cannot be read here; undefined if it can. */
export function memoryProblem(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root may read the memory of another process';
  try {
    execFileSync('python3', ['-c', 'pass']);
    return undefined;
  } catch {
    return 'python3 is not installed';
  }
}

/** A program in Python that is told what to do in lines, and answers each with one. */
export interface PythonProgram {
  readonly pid: number;
  ask(line: string): Promise<string>;
  close(): Promise<void>;
}

export async function startPython(
  program: string,
  args: readonly string[],
): Promise<PythonProgram> {
  const child = spawn('python3', ['-c', program, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
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
