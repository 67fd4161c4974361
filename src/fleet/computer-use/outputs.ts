import type { BatchResult } from '../../contract/actions/batch.js';
import type { Place } from './actions.js';

/** The outcome of a call whose request ended. */
export const INTERRUPTED = {
  state: 'failed',
  text: 'The request ended while this was carried out. Look at the screen before you repeat it.',
} as const;

/** What the results of a call's actions tell the model, besides the picture. */
export function outputOf(
  results: BatchResult['results'],
  toPicture: (at: Place) => Place,
): { text: string | undefined; isFailed: boolean } {
  const texts: string[] = [];
  let isFailed = false;
  for (const result of results) {
    if ('exit_code' in result) {
      texts.push(result.output);
      if (result.timed_out) texts.push('The command was ended: it took too long.');
      else if (result.exit_code !== 0) texts.push(`The exit code is ${result.exit_code}.`);
      if (result.timed_out) isFailed = true;
    } else if ('output' in result) {
      texts.push(result.output.trimEnd());
      if (result.error !== undefined && result.error_type !== 'SystemExit')
        texts.push(result.error);
      if (!result.success) isFailed = true;
    } else if ('x' in result) {
      const { x, y } = toPicture(result);
      texts.push(`X=${x}, Y=${y}`);
    }
  }
  return { text: texts.length === 0 ? undefined : texts.join('\n'), isFailed };
}

/** The error of an action. */
export function isFailure(
  result: BatchResult['results'][number],
): result is Extract<BatchResult['results'][number], { readonly code: string }> {
  return 'code' in result;
}
