import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { writeFileAtomically } from '../../lib/fs/atomic-file.js';
import { UsageError } from '../errors/cli-error.js';
import { cannotWrite } from '../errors/file-errors.js';
import type { Context } from '../framework/context.js';
import type { Column } from '../output/table.js';

/** How a task ended: `failed` if the check does not hold, `error` if that could not be asked. */
export interface Result {
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'error';
  /** Why it has not passed; empty if it has. */
  readonly message: string;
  /** Of the agent; null if it was not run or ended by vc. */
  readonly exit_code: number | null;
  readonly started_at: string;
  readonly seconds: number;
  /** Its directory in that of the run. */
  readonly directory: string;
}

const RUN = 'run.json';
const RESULT = 'result.json';

/** The directory with the results of a run. */
export class RunDirectory {
  /** As it was given. */
  readonly shown: string;
  readonly path: string;
  /** Part of the names of the projects, which it tells from those of other runs. */
  readonly id: string;

  private constructor(shown: string, path: string, id: string) {
    this.shown = shown;
    this.path = path;
    this.id = id;
  }

  /** Opens the directory of a run that is continued, or makes a new one. Throws CliError. */
  static async open(context: Context, shown: string, name: string): Promise<RunDirectory> {
    const path = resolve(context.cwd, shown);
    try {
      await mkdir(path, { recursive: true });
      const names = await readdir(path);
      if (names.length === 0) {
        const id = randomBytes(4).toString('hex');
        await writeFileAtomically(
          join(path, RUN),
          Buffer.from(`${JSON.stringify({ name, id })}\n`),
        );
        return new RunDirectory(shown, path, id);
      }
      if (!names.includes(RUN)) throw new UsageError(`${shown} is not the directory of a run`);
      const run = JSON.parse(await readFile(join(path, RUN), 'utf8')) as Record<string, unknown>;
      if (run.name !== name || typeof run.id !== 'string' || !/^[0-9a-f]{8}$/.test(run.id)) {
        throw new UsageError(`${shown} has the results of another run`, 'name another --out');
      }
      return new RunDirectory(shown, path, run.id);
    } catch (error) {
      if (error instanceof UsageError) throw error;
      throw cannotWrite(shown, error);
    }
  }

  /** The directory of a task. */
  ofTask(name: string): string {
    return join(this.path, name);
  }

  /** The project of a task's computer. */
  project(task: string): string {
    return `run-${this.id}-${task}`;
  }

  /** The result of a task that was completed. */
  async read(task: string): Promise<Result | undefined> {
    try {
      const text = await readFile(join(this.ofTask(task), RESULT), 'utf8');
      return { ...(JSON.parse(text) as Result), directory: join(this.shown, task) };
    } catch {
      return undefined;
    }
  }

  async write(result: Result): Promise<void> {
    const text = `${JSON.stringify(result, null, 2)}\n`;
    await writeFileAtomically(join(this.ofTask(result.name), RESULT), Buffer.from(text));
  }
}

export const resultColumns: readonly Column<Result>[] = [
  { header: 'TASK', value: ({ name }) => name },
  {
    header: 'RESULT',
    value: ({ status }) => status,
    color: (text, chalk) => (text === 'passed' ? chalk.green(text) : chalk.red(text)),
  },
  { header: 'TIME', value: ({ seconds }) => `${seconds.toFixed(1)} s` },
  { header: 'MESSAGE', value: ({ message }) => message, shrinks: true },
];
