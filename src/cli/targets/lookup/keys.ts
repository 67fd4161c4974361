import { CliError } from '../../errors/cli-error.js';
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
  const found = names.map((name): [string, string] => {
    if (keys.some(({ id }) => id === name)) return [name, name];
    const named = keys.filter((key) => key.name === name);
    if (named.length <= 1) return [name, named[0]?.id ?? name];
    throw new CliError(`${named.length} keys are named ${JSON.stringify(name)}`, {
      remedy: `give the id: ${enumerate(named.map(({ id }) => id))}`,
      exitCode: ExitCode.usage,
      code: 'usage',
    });
  });
  return new Map(found);
}
