import { confirmLoss } from '../../confirm-loss.js';
import type { Context } from '../../context.js';
import { defineCommand, dryRun, enumerate, flag, many } from '../../define.js';
import { forEach } from '../../each.js';
import { CliError } from '../../errors.js';
import { ExitCode } from '../../exit-codes.js';

export const command = defineCommand({
  name: 'rm',
  aliases: ['delete', 'remove'],
  summary: 'Remove API keys',
  arguments: { keys: many('key', 'ids, or names that only one key has', { completes: 'key' }) },
  options: { yes: flag('-y, --yes', 'do not ask'), dryRun },
  examples: [{ does: 'Remove the key of an agent', command: 'vc key rm agent --yes' }],
  async run(context, { keys: names }, { yes, dryRun: isDry }) {
    if (isDry) {
      const known = await keyIds(context, names);
      return forEach(context, {
        names,
        doing: `Looking at ${enumerate(names)}`,
        work: async (name) => findKey(context, known.get(name) ?? name),
        did: (_, key) => `would remove key ${key.name} (${key.id})`,
      });
    }
    await confirmLoss(await context.prompt(), {
      question: `Remove ${enumerate(names)}? What uses it can reach the service no more.`,
      yes,
    });
    const ids = await keyIds(context, names);
    const client = await context.client();
    const { signal } = context.interrupts;
    return forEach(context, {
      names,
      doing: `Removing ${enumerate(names)}`,
      work: (name) =>
        client.request('deleteKey', { params: { key: ids.get(name) ?? name }, signal }),
      did: (name) => `removed key ${name}`,
    });
  },
});

async function findKey(context: Context, id: string) {
  const client = await context.client();
  const { keys } = await client.request('listKeys', { signal: context.interrupts.signal });
  const found = keys.find((key) => key.id === id);
  if (found !== undefined) return found;
  throw new CliError(`there is no API key ${JSON.stringify(id)}`, {
    hint: 'see: vc key ls',
    exitCode: ExitCode.notFound,
    code: 'not_found',
  });
}

/** Ids by what was given: an id stands for itself, a name for the one key that has it. */
async function keyIds(context: Context, names: readonly string[]): Promise<Map<string, string>> {
  const client = await context.client();
  const { keys } = await client.request('listKeys', { signal: context.interrupts.signal });
  const found = names.map((name): [string, string] => {
    if (keys.some(({ id }) => id === name)) return [name, name];
    const named = keys.filter((key) => key.name === name);
    if (named.length <= 1) return [name, named[0]?.id ?? name];
    throw new CliError(`${named.length} keys are named ${JSON.stringify(name)}`, {
      hint: `give the id: ${enumerate(named.map(({ id }) => id))}`,
      exitCode: ExitCode.usage,
      code: 'usage',
    });
  });
  return new Map(found);
}
