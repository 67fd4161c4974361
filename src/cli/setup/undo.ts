import type { SetupStep } from '../../engines/descriptor.js';
import { engines } from '../../engines/index.js';
import { errorMessage } from '../../lib/text/error-message.js';
import { stateDirectory } from '../../profile/index.js';
import { ExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';
import { write } from '../framework/io.js';
import { confirmRemoval } from '../input/confirm-removal.js';
import { done, note, printJson } from '../output/print.js';
import { rootPrefix } from './plan.js';
import { undoGrant, writeGrants } from './record.js';
import { planRemoval, refuseRunning } from './remove.js';
import { commandLine, must, runAsRoot } from './steps.js';

/** Undoes the set-up of one engine, or of all. */
export async function undo(
  context: Context,
  wish: string,
  { yes, dryRun }: { readonly yes: boolean; readonly dryRun: boolean },
): Promise<number> {
  const { signal } = context.interrupts;
  const directory = stateDirectory(context.env);
  if (!dryRun) await refuseRunning(directory);
  const isPartial = wish !== 'auto';
  const chosen = engines.filter(({ name }) => !isPartial || name === wish);
  const plan = await planRemoval(chosen, directory, { env: context.env, signal, isPartial });
  const { leftovers, grants, kept, keptGrants } = plan;
  const steps = [...plan.steps, ...grants.map(undoGrant)];
  const prefix = (await rootPrefix(context.env)) ?? ['sudo'];
  const titles = leftovers.map(({ title }) => title);
  if (context.globals.json) {
    await printJson(context, { removes: titles, commands: steps.map(({ argv }) => argv), kept });
  }
  for (const reason of kept) await note(context, `kept, ${reason}`);
  if (leftovers.length === 0 && steps.length === 0) {
    if (!dryRun) await writeGrants(directory, keptGrants);
    await done(context, 'there is nothing to remove');
    return ExitCode.ok;
  }
  await note(context, 'To be removed:');
  for (const title of titles) await note(context, `  ${title}`);
  for (const { argv } of steps) await note(context, `  ${commandLine([...prefix, ...argv])}`);
  if (dryRun) return ExitCode.ok;
  await confirmRemoval(await context.prompt(), { question: 'Remove it?', yes });
  let code: number = ExitCode.ok;
  for (const { title, remove } of leftovers) {
    try {
      await remove(signal);
      await done(context, `removed ${title}`);
    } catch (error) {
      if (signal.aborted) throw error;
      code = ExitCode.failure;
      await write(context.io.stderr, `error: ${title}: ${errorMessage(error)}\n`);
    }
  }
  const run = (step: SetupStep) => runAsRoot(context, step, prefix);
  for (const step of plan.steps) await must(step, run, 'vc setup --remove');
  for (const [index, grant] of grants.entries()) {
    await must(undoGrant(grant), run, 'vc setup --remove');
    await writeGrants(directory, [...grants.slice(index + 1), ...keptGrants]);
  }
  await writeGrants(directory, keptGrants);
  await note(context, `packages stay, and the state in ${directory}`);
  return code;
}
