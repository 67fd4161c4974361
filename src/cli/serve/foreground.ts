import { writeDefaultProfile } from '../../profile/index.js';
import type { Context } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import { exitProcess, write } from '../io.js';
import { note } from '../output.js';
import type { ServePlan } from './options.js';
import { untilAsked } from './stop-requests.js';

/** Begins the line that says where the key of a first start went. */
export const FIRST_KEY = 'the first API key is in profile';

/** What somebody does who has just started a service. */
export const NEXT = 'next: vc demo, or: vc project create demo && vc computer create demo/desktop';

/** Serves until SIGINT or SIGTERM; a second one ends it without waiting. */
export async function serveInForeground(context: Context, plan: ServePlan): Promise<number> {
  const { interrupts, env } = context;
  const { serve } = await import('../../server/serve.js');
  const stopping = untilAsked(interrupts, () => exitProcess(ExitCode.interrupted));
  const notes: string[] = [];
  const service = await serve({
    ...plan,
    publishFirstKey: async (apiKey, baseUrl) => {
      const { profile, isCurrent, path } = await writeDefaultProfile({ baseUrl, apiKey }, env);
      notes.push(`${FIRST_KEY} ${profile} (${path})`);
      if (!isCurrent) notes.push(`another profile is in use; to use it: vc profile use ${profile}`);
    },
  });
  await announce(context, plan, service.url, notes);
  await stopping;
  await note(context, 'stopping; the computers go on running');
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
      'it can be reached from other machines, in clear text: everyone with a key',
    );
    await note(context, 'can see the computers and run commands in them; put TLS in front of it');
  }
  for (const line of notes) await note(context, line);
  // Said even with --quiet, and when all is ready: whoever started it waits for this line.
  await write(context.io.stderr, `listening on ${url}\n`);
  await note(context, NEXT);
}
