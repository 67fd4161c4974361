import { CliError, UsageError } from '../errors/cli-error.js';
import type { Prompt } from './prompt.js';

/** Asks before something is removed. Without a terminal `--yes` is required. */
export async function confirmRemoval(
  prompt: Prompt,
  removal: { readonly question: string; readonly yes: boolean },
): Promise<void> {
  if (removal.yes) return;
  if (!prompt.isInteractive) {
    throw new UsageError('cannot ask for confirmation without a terminal', 'confirm with --yes');
  }
  if (!(await prompt.confirm(removal.question))) {
    throw new CliError('cancelled, nothing was removed', { code: 'declined' });
  }
}
