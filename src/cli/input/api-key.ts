import { UsageError } from '../errors/cli-error.js';
import type { Context } from '../framework/context.js';

/** Prompts for a key without echo, or reads it from stdin. Other users could see an argument. */
export async function readApiKey(context: Context, baseUrl: string): Promise<string> {
  return checkedApiKey(await (await context.prompt()).secret(`API key for ${baseUrl}`));
}

/** Throws UsageError if `text` cannot be a key. */
export function checkedApiKey(text: string | undefined): string {
  if (!text)
    throw new UsageError('no API key given', 'type the key, or pass it on stdin: < key.txt');
  if (!/^[\x21-\x7e]+$/.test(text)) {
    throw new UsageError('the API key has an invalid character', 'copy the whole key again');
  }
  return text;
}
