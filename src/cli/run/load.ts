import { CreateComputer } from '../../contract/resources/computer-requests.js';
import { CliError } from '../errors/cli-error.js';
import { readWithVariables } from '../fleet-file/load.js';
import { type Problem, problemOfIssue, readSource, usageError } from '../fleet-file/problems.js';
import { readFields } from '../fleet-file/wanted.js';
import type { Path } from '../fleet-file/yaml.js';
import type { Context } from '../framework/context.js';
import { CompleteTask, KEYS, RunFile } from './schema.js';

/** A task, with the contents of its files. */
export interface Task {
  readonly name: string;
  /** What to create its computer with. */
  readonly body: CreateComputer;
  /** `COMPUTER` or `COMPUTER@SNAPSHOT` to begin from. */
  readonly from: string | undefined;
  readonly prompt: string | undefined;
  readonly agent: string;
  readonly check: CompleteTask['check'];
  /** Most time of the agent, in seconds. */
  readonly seconds: number;
}

/** A file that was read and checked. */
export interface Tasks {
  readonly name: string;
  readonly tasks: readonly Task[];
  /** Values to mask. */
  readonly secrets: readonly string[];
  /** The directory of the file, where agents run. */
  readonly cwd: string;
}

/** Reads a file of tasks and the `.env` beside it. Throws UsageError with the line and column. */
export async function loadTasks(context: Context, given: string): Promise<Tasks> {
  const { text, variables, inDirectory } = await readWithVariables(context, given);
  const source = readSource(text, given, variables);
  const wrongAt = (problem: Problem) => usageError(given, source, problem, 'vc run');
  const fail = (path: Path, message: string) => wrongAt({ path, message });
  const { data, error } = RunFile.safeParse(source.value, { reportInput: true });
  const [issue] = error?.issues ?? [];
  if (data === undefined || issue !== undefined) {
    if (issue === undefined) throw new TypeError('neither a result nor an issue');
    throw wrongAt(problemOfIssue(issue, knownKeys));
  }
  const secrets = data.secrets.map((name, at) => {
    const value = variables[name];
    if (value) return value;
    throw fail(['secrets', at], `is not set in the environment: ${name}`);
  });
  const raw = source.value as { defaults?: object; tasks: Record<string, object> };
  const tasks = Object.keys(data.tasks).map(async (name): Promise<Task> => {
    const path = ['tasks', name];
    const merged = { ...raw.defaults, ...raw.tasks[name] };
    const complete = CompleteTask.safeParse(merged, { reportInput: true });
    const [problem] = complete.error?.issues ?? [];
    if (problem !== undefined) {
      const at = problemOfIssue({ ...problem, path: [...path, ...problem.path] }, knownKeys);
      throw wrongAt(at);
    }
    const { from, prompt, agent, check, timeout, ...options } = complete.data as CompleteTask;
    const fields = await readFields(inDirectory, options).catch((cause: unknown) => {
      throw cause instanceof CliError ? fail(path, `cannot be created: ${cause.message}`) : cause;
    });
    const computer = CreateComputer.safeParse({ ...fields, name });
    const [wrong] = computer.error?.issues ?? [];
    if (wrong !== undefined) {
      throw fail(path, `cannot be created: ${wrong.path.join('.')} ${wrong.message}`);
    }
    const body = computer.data as CreateComputer;
    return { name, body, from, prompt, agent, check, seconds: timeout };
  });
  if (tasks.length === 0) throw fail(['tasks'], 'must have at least one task');
  return { name: data.name, tasks: await Promise.all(tasks), secrets, cwd: inDirectory.cwd };
}

function knownKeys(path: Path): readonly string[] {
  if (path.length === 0) return KEYS.file;
  return path.at(-1) === 'defaults' || path.length === 2 ? KEYS.task : [];
}
