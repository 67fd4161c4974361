import type { RemovedKey } from '../../../contract/resources.js';
import { notFound } from '../../errors/cli-error.js';
import type { Context } from '../../framework/context.js';
import { defineCommand, dryRun, enumerate, flag, many } from '../../framework/define.js';
import { confirmRemoval } from '../../input/confirm-removal.js';
import { note } from '../../output/print.js';
import { request } from '../../targets/client.js';
import { forEach } from '../../targets/for-each.js';
import { keyIds } from '../../targets/lookup/keys.js';

/** Keys that a note lists. */
const MOST_NAMED = 5;

export const command = defineCommand({
  name: 'rm',
  aliases: ['delete', 'remove'],
  summary: 'Revoke API keys',
  details: [
    'Clients that use a key lose access at once. Keys that it has made still work; they are listed',
    'afterwards.',
  ].join(' '),
  arguments: { keys: many('key', 'id or unique name', { completes: 'key' }) },
  options: { yes: flag('-y, --yes', 'do not ask for confirmation'), dryRun },
  examples: [{ does: 'Revoke the key of an agent', command: 'vc key rm agent --yes' }],
  async run(context, { keys: names }, { yes, dryRun: isDry }) {
    const prompt = await context.prompt();
    // Fail before any request.
    if (!isDry && !prompt.isInteractive) await confirmRemoval(prompt, { question: '', yes });
    const ids = await keyIds(context, names);
    const idOf = (name: string) => ids.get(name) ?? name;
    const { key: own } = await request(context, 'getMe');
    const used = (id: string) => (id === own.id ? ', which this command uses' : '');
    if (isDry) {
      return forEach(context, {
        names,
        doing: `Checking ${enumerate(names)}`,
        work: async (name) => findKey(context, idOf(name)),
        did: (_, key) => `would remove key ${key.name} (${key.id})${used(key.id)}`,
      });
    }
    const what = names.map((name) => `${name}${used(idOf(name))}`);
    await confirmRemoval(prompt, {
      question: `Remove key ${enumerate(what, 'and')}? Clients that use it lose access at once.`,
      yes,
    });
    const client = await context.client();
    const { signal } = context.interrupts;
    const removed = new Set<string>();
    const made = new Map<string, Made>();
    const remove = async (key: string) => {
      const answer = await client.request('deleteKey', { params: { key }, signal });
      removed.add(key);
      for (const each of answer.made) made.set(each.id, each);
      return answer;
    };
    const others: Promise<unknown>[] = [];
    let isOwnRemoved = false;
    const code = await forEach(context, {
      names: [...names].sort((a, b) => Number(idOf(a) === own.id) - Number(idOf(b) === own.id)),
      doing: `Removing ${enumerate(names, 'and')}`,
      work: async (name) => {
        const id = idOf(name);
        if (id !== own.id) {
          const removal = remove(id);
          others.push(removal);
          return removal;
        }
        // Without it no other key can be removed.
        await Promise.allSettled(others);
        const answer = await remove(id);
        isOwnRemoved = true;
        return answer;
      },
      did: (name) => `removed key ${name}`,
    });
    await noteMade(context, new Map([...made].filter(([id]) => !removed.has(id))));
    if (isOwnRemoved) {
      await note(context, 'this command used that key; to log in with another one: vc login');
    }
    return code;
  },
});

type Made = RemovedKey['made'][number];

/** Names keys that still work, and how to remove them. */
async function noteMade(context: Context, made: ReadonlyMap<string, Made>): Promise<void> {
  if (made.size === 0) return;
  const all = [...made.values()];
  const named = all
    .slice(0, MOST_NAMED)
    .map(({ id, name, owner }) => `${name} (${id}${owner === undefined ? '' : `, of ${owner}`})`);
  const more = all.length - named.length;
  const which = more > 0 ? `${named.join(', ')} and ${more} more` : enumerate(named, 'and');
  await note(context, `keys that were made with it still work: ${which}`);
  const ids = all.filter(({ owner }) => owner === undefined).map(({ id }) => id);
  const see = more > 0 ? '; see: vc key ls -o wide' : '';
  if (ids.length > 0) {
    await note(
      context,
      `to remove these keys: vc key rm ${ids.slice(0, MOST_NAMED).join(' ')}${see}`,
    );
  }
  if (ids.length < all.length) {
    await note(
      context,
      'keys of other owners can be removed by their owner only, or with it: vc owner rm NAME',
    );
  }
}

async function findKey(context: Context, id: string) {
  const { keys } = await request(context, 'listKeys');
  const found = keys.find((key) => key.id === id);
  if (found !== undefined) return found;
  throw notFound(`there is no API key ${JSON.stringify(id)}`, 'see: vc key ls');
}
