import { CliError, notFound } from '../../errors/cli-error.js';
import { ExitCode } from '../../errors/exit-codes.js';
import type { Context } from '../../framework/context.js';
import { defineCommand, dryRun, enumerate, flag, many } from '../../framework/define.js';
import { confirmRemoval } from '../../input/confirm-removal.js';
import { request } from '../../targets/client.js';
import { forEach } from '../../targets/for-each.js';

export const command = defineCommand({
  name: 'rm',
  aliases: ['delete', 'remove'],
  summary: 'Revoke API keys',
  arguments: { keys: many('key', 'id or unique name', { completes: 'key' }) },
  options: { yes: flag('-y, --yes', 'do not ask for confirmation'), dryRun },
  examples: [{ does: 'Revoke the key of an agent', command: 'vc key rm agent --yes' }],
  async run(context, { keys: names }, { yes, dryRun: isDry }) {
    if (isDry) {
      const known = await keyIds(context, names);
      return forEach(context, {
        names,
        doing: `Checking ${enumerate(names)}`,
        work: async (name) => findKey(context, known.get(name) ?? name),
        did: (_, key) => `would remove key ${key.name} (${key.id})`,
      });
    }
    await confirmRemoval(await context.prompt(), {
      question: `Remove key ${enumerate(names)}? Clients that use it lose access at once.`,
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
  const { keys } = await request(context, 'listKeys');
  const found = keys.find((key) => key.id === id);
  if (found !== undefined) return found;
  throw notFound(`there is no API key ${JSON.stringify(id)}`, 'see: vc key ls');
}

/** Ids by the given ids or names. Throws CliError for a name that several keys have. */
async function keyIds(context: Context, names: readonly string[]): Promise<Map<string, string>> {
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
