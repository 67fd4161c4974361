import type { Context } from './context.js';
import { UsageError } from './errors.js';

/** Asks for a key without echo, or reads it from stdin; never an argument, which others can see. */
export async function readApiKey(context: Context, baseUrl: string): Promise<string> {
  return checkedApiKey(await (await context.prompt()).secret(`API key for ${baseUrl}`));
}

/** The text, if it can be a key at all. */
export function checkedApiKey(text: string | undefined): string {
  if (!text)
    throw new UsageError('no API key was given', 'type it, or give it on stdin: < key.txt');
  if (!/^[\x21-\x7e]+$/.test(text)) {
    throw new UsageError('the API key has a character no key has', 'copy it again, whole');
  }
  return text;
}
