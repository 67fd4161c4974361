import type { Key } from '../../../contract/index.js';
import { CliError, notFound } from '../../errors/cli-error.js';
import { ExitCode } from '../../errors/exit-codes.js';
import type { Context } from '../../framework/context.js';
import { enumerate } from '../../framework/define.js';
import { request } from '../client.js';

/**
 * Ids of API keys by the given ids or names; an unknown one stands for itself. Throws CliError for a
 * name that several keys have.
 */
export async function keyIds(
  context: Context,
  names: readonly string[],
): Promise<Map<string, string>> {
  const { keys } = await request(context, 'listKeys');
  return new Map(names.map((name) => [name, findKey(keys, name)?.id ?? name]));
}

/** The API key with the id or name. Throws CliError if there is none, or several have the name. */
export async function namedKey(context: Context, name: string): Promise<Key> {
  const { keys } = await request(context, 'listKeys');
  const key = findKey(keys, name);
  if (key !== undefined) return key;
  throw notFound(`there is no API key ${JSON.stringify(name)}`, 'see: vc key ls');
}

function findKey(keys: readonly Key[], name: string): Key | undefined {
  const named = keys.filter((key) => key.name === name);
  const key = keys.find(({ id }) => id === name) ?? named[0];
  if (key === undefined || key.id === name || named.length === 1) return key;
  throw new CliError(`${named.length} keys are named ${JSON.stringify(name)}`, {
    remedy: `give the id: ${enumerate(named.map(({ id }) => id))}`,
    exitCode: ExitCode.usage,
    code: 'usage',
  });
}
