import { writeDefaultProfile } from '../../profile/index.js';
import { ExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';
import { exitProcess, write } from '../framework/io.js';
import { note } from '../output/print.js';
import type { ServePlan } from './options.js';
import { untilStopped } from './stop-requests.js';

/** Start of the line that names the profile with the first key. */
export const FIRST_KEY = 'wrote the first API key to profile';

/** What to do after starting a service. */
export const NEXT = 'next: vc demo, or: vc create desk';

/** Serves until SIGINT or SIGTERM; a second signal ends the process at once. */
export async function serveInForeground(context: Context, plan: ServePlan): Promise<number> {
  const { interrupts, env } = context;
  const { serve } = await import('../../server/serve.js');
  const stopping = untilStopped(interrupts, () => exitProcess(ExitCode.interrupted));
  const notes: string[] = [];
  const service = await serve({
    ...plan,
    publishFirstKey: async (apiKey, baseUrl) => {
      const { profile, isCurrent, path } = await writeDefaultProfile({ baseUrl, apiKey }, env);
      notes.push(`${FIRST_KEY} ${profile} (${path})`);
      if (!isCurrent)
        notes.push(`another profile is current; switch with: vc profile use ${profile}`);
    },
  });
  await announce(context, plan, service.url, notes);
  await stopping;
  await note(context, 'stopping; computers keep running');
  await service.close();
  return ExitCode.ok;
}

async function announce(
  context: Context,
  plan: ServePlan,
  url: string,
  notes: readonly string[],
): Promise<void> {
  if (plan.exposed) {
    await note(
      context,
      'warning: reachable from other machines without encryption; anyone with a key can control',
    );
    await note(context, 'the computers. Put a TLS proxy in front of it.');
  }
  for (const line of notes) await note(context, line);
  // Printed even with --quiet: serve --detach and scripts wait for this line.
  await write(context.io.stderr, `listening on ${url}\n`);
  await note(context, NEXT);
}
