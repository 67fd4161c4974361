import { RIGHTS } from '../../../contract/constants.js';
import { argument, choice, defineCommand, value } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { fields } from '../../output/fields.js';
import { note, print, printJson } from '../../output/print.js';
import { request } from '../../targets/client.js';
import { budgetFields, budgetOptions } from './budgets.js';
import { expiry } from './expiry.js';
import { limitsOf } from './limits.js';

export const command = defineCommand({
  name: 'create',
  summary: 'Create an API key, which is shown only once',
  details: [
    'A key has all rights in all projects and never ends, unless options say otherwise. look: lists,',
    'states and screens. act: also uses computers and what is in them. manage: also creates, changes',
    'and deletes. With -p, --project PROJECT it is for that project alone, and is revoked with it. A key',
    'cannot create one with more than its own. When a budget is used up, the key is refused what would',
    'use more, and at --max-hours its computers are stopped.',
  ].join(' '),
  arguments: { name: argument('name', 'name of the key', nonEmpty) },
  options: {
    rights: choice('--rights <rights>', 'what it may do; each includes those before', RIGHTS, {
      otherwise: 'manage',
    }),
    expires: value('--expires <when>', 'when it ends: 30d, 2027-01-31, or never', expiry, {
      otherwise: 'never',
    }),
    ...budgetOptions,
  },
  fields: fields.createdKey,
  examples: [
    { does: 'Create a key for an agent', command: 'vc key create agent' },
    {
      does: 'Let someone watch one project for a month',
      command: 'vc key create watcher --rights look --project demo --expires 30d',
    },
    {
      does: 'Create a key that can use ten hours of computers and 5,000 actions',
      command: 'vc key create worker --max-hours 10 --max-actions 5000',
    },
    {
      does: 'Save the key in a private file',
      command: '(umask 077; vc key create ci -q > ci.key)',
    },
  ],
  async run(context, { name }, { rights, expires, ...budgets }) {
    const { project } = context.globals;
    const now = context.now();
    const body = {
      name,
      ...(rights === undefined ? {} : { rights }),
      ...(project === undefined ? {} : { project }),
      ...(expires === undefined ? {} : { expires_at: expires(now) }),
      ...budgetFields(budgets),
    };
    const created = await request(context, 'createKey', { body });
    if (context.globals.json) {
      await printJson(context, created);
      return undefined;
    }
    await print(context, created.key);
    const limits = limitsOf(context, created, now);
    await note(context, `created key ${name} (${created.id}): ${limits}`);
    const { baseUrl } = await context.settings();
    await note(context, 'it cannot be shown again; to log in with it in a profile of its own:');
    await note(context, `vc login --profile NAME ${baseUrl.value}`);
  },
});
