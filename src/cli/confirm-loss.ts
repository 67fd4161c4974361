import { CliError, UsageError } from './errors.js';
import type { Prompt } from './prompt.js';

/** Asks before something is lost. Without a terminal, `--yes` has to be given. */
export async function confirmLoss(
  prompt: Prompt,
  loss: { readonly question: string; readonly yes: boolean },
): Promise<void> {
  if (loss.yes) return;
  if (!prompt.isInteractive) {
    throw new UsageError('there is no terminal to ask on', 'add --yes to confirm');
  }
  if (!(await prompt.confirm(loss.question))) {
    throw new CliError('nothing was removed', { code: 'declined' });
  }
}
