import { CliError, UsageError } from '../errors/cli-error.js';
import type { Prompt } from './prompt.js';

interface Question {
  readonly question: string;
  readonly yes: boolean;
}

/** Asks before something is removed. Without a terminal `--yes` is required. */
export function confirmRemoval(prompt: Prompt, removal: Question): Promise<void> {
  return confirm(prompt, { ...removal, declined: 'nothing was removed' });
}

/** Asks a question that has to be answered with yes; throws if it is not. */
export async function confirm(
  prompt: Prompt,
  { question, yes, declined }: Question & { readonly declined: string },
): Promise<void> {
  if (yes) return;
  if (!prompt.isInteractive) {
    throw new UsageError('cannot ask for confirmation without a terminal', 'confirm with --yes');
  }
  if (!(await prompt.confirm(question))) {
    throw new CliError(`cancelled, ${declined}`, { code: 'declined' });
  }
}
