import { RIGHTS } from '../../../contract/constants.js';
import { UsageError } from '../../errors/cli-error.js';
import { argument, choice, defineCommand, value } from '../../framework/define.js';
import { nonEmpty, text } from '../../input/parse.js';
import { fields } from '../../output/fields.js';
import { done, print, printJson } from '../../output/print.js';
import { request } from '../../targets/client.js';
import { keyIds } from '../../targets/lookup/keys.js';
import { budgetFields, budgetOptions } from './budgets.js';
import { expiry } from './expiry.js';
import { limitsOf } from './limits.js';

export const command = defineCommand({
  name: 'update',
  summary: 'Change the name, rights, expiry or budgets of a key',
  details: [
    'Changes take effect at once. Other rights end what the key has open. A key cannot give more',
    'rights than its own, nor a later expiry, and one with a budget changes no budgets. What a key has',
    'used counts from its creation on. Its project stays: for another one, create another key.',
  ].join(' '),
  arguments: { key: argument('key', 'id or unique name', text, { completes: 'key' }) },
  options: {
    name: value('--name <name>', 'new name', nonEmpty),
    rights: choice('--rights <rights>', 'what it may do; each includes those before', RIGHTS),
    expires: value('--expires <when>', 'when it ends: 30d, 2027-01-31, or never', expiry),
    ...budgetOptions,
  },
  fields: fields.key,
  examples: [
    { does: 'Only let a key look', command: 'vc key update agent --rights look' },
    { does: 'Extend a key by 30 days', command: 'vc key update ci --expires 30d' },
    { does: 'Raise a budget', command: 'vc key update agent --max-actions 10000' },
  ],
  async run(context, { key: name }, options) {
    const { name: newName, rights, expires, ...budgets } = options;
    const now = context.now();
    const body = {
      ...(newName === undefined ? {} : { name: newName }),
      ...(rights === undefined ? {} : { rights }),
      ...(expires === undefined ? {} : { expires_at: expires(now) }),
      ...budgetFields(budgets),
    };
    if (Object.keys(body).length === 0) {
      throw new UsageError('no changes given', 'for example: --rights look');
    }
    const id = (await keyIds(context, [name])).get(name) ?? name;
    const key = await request(context, 'updateKey', { params: { key: id }, body });
    if (context.globals.json) await printJson(context, key);
    else if (context.globals.quiet) await print(context, key.id);
    else {
      await done(context, `updated key ${key.name}: ${limitsOf(context, key, now)}`);
    }
  },
});
