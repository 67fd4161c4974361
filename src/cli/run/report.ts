import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BodyInput } from '../../contract/types/index.js';
import { writeFileAtomically } from '../../lib/fs/atomic-file.js';
import type { Context } from '../framework/context.js';
import { request } from '../targets/client.js';
import type { Result, RunDirectory } from './results.js';

const REPORT = 'report.json';

/** Shows a run on the web page of the service. What cannot be shown there does not end the run. */
export class Report {
  readonly #context: Context;
  readonly #run: string | undefined;
  /** Pictures of tasks that are not reported yet, in base64. */
  readonly #pictures = new Map<string, string>();

  private constructor(context: Context, run: string | undefined) {
    this.#context = context;
    this.#run = run;
  }

  /** Continues the report of the directory, or begins one. */
  static async open(
    context: Context,
    { path }: RunDirectory,
    run: { readonly name: string; readonly tasks: string[] },
  ): Promise<Report> {
    const file = join(path, REPORT);
    const open = async () => {
      const { runs } = await request(context, 'listRuns');
      const text = await readFile(file, 'utf8').catch(() => '{}');
      const { id: known } = JSON.parse(text) as { readonly id?: string };
      if (runs.some(({ id }) => id === known)) return known;
      const { id } = await request(context, 'createRun', { body: run });
      await writeFileAtomically(file, Buffer.from(`${JSON.stringify({ id })}\n`));
      return id;
    };
    return new Report(context, await open().catch(() => undefined));
  }

  async started(task: string, computer: string): Promise<void> {
    await this.#update(task, { status: 'running', computer_id: computer });
  }

  /** Takes the picture that is reported with the result. */
  async takePicture(task: string, id: string): Promise<void> {
    const client = await this.#context.client();
    const { signal } = this.#context.interrupts;
    const { data } = await client.requestBytes('thumbnail', 'image/jpeg', {
      ...{ params: { id }, signal },
    });
    this.#pictures.set(task, Buffer.from(data).toString('base64'));
  }

  async ended({ name, status, message, seconds }: Result): Promise<void> {
    const picture = this.#pictures.get(name);
    this.#pictures.delete(name);
    await this.#update(name, {
      ...{ status, seconds, message: message.slice(0, 2_000).toWellFormed() },
      ...(picture !== undefined && { picture }),
    });
  }

  async #update(task: string, body: BodyInput<'updateRunTask'>): Promise<void> {
    if (this.#run === undefined) return;
    const params = { run: this.#run, task };
    await request(this.#context, 'updateRunTask', { params, body }).catch(() => undefined);
  }
}
