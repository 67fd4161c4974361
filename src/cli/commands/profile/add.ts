import { PROFILE_NAME, sameBaseUrl } from '../../../profile/index.js';
import { checkedApiKey, readApiKey } from '../../api-key.js';
import { checkBaseUrl } from '../../base-url.js';
import { argument, defineCommand, flag, value } from '../../define.js';
import { UsageError } from '../../errors.js';
import { done, printJson } from '../../output.js';
import { nonEmpty } from '../../parse.js';

export const command = defineCommand({
  name: 'add',
  summary: 'Add or replace a profile',
  details: [
    'The API key is asked for without echo on a terminal and read from stdin otherwise; it is never',
    'an argument, which every user of the machine could see. The first profile becomes the current.',
  ].join(' '),
  arguments: { name: argument('name', 'name of the profile', profileName) },
  options: {
    defaultProject: value('--default-project <name>', 'project of bare names', nonEmpty),
    fromEnv: flag('--from-env', 'take the key from VC_API_KEY'),
    use: flag('--use', 'make it the current profile'),
  },
  examples: [
    {
      does: 'Talk to another service',
      command: 'vc profile add office --base-url https://vc.example.com/api --use',
    },
    {
      does: 'The key from a file',
      command: 'vc profile add ci --base-url https://vc.example.com/api < ci.key',
    },
  ],
  async run(context, { name }, { defaultProject, fromEnv, use }) {
    const store = context.profiles();
    const { profiles } = await store.read();
    const existing = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
    const baseUrl = context.globals.baseUrl ?? context.env.VC_BASE_URL ?? existing?.baseUrl;
    if (!baseUrl) throw new UsageError('where is the service?', 'give --base-url URL');
    checkBaseUrl(baseUrl);
    if (fromEnv && !context.env.VC_API_KEY) throw new UsageError('VC_API_KEY is not set');
    const apiKey = fromEnv
      ? checkedApiKey(context.env.VC_API_KEY)
      : await readApiKey(context, baseUrl);
    const project = defaultProject ?? existing?.project;
    await store.set(name, { baseUrl, apiKey, ...(project === undefined ? {} : { project }) });
    if (use) await store.use(name);
    const { current } = await store.read();
    if (context.globals.json)
      await printJson(context, { name, base_url: baseUrl, project, current: current === name });
    else {
      const verb = existing === undefined ? 'added' : 'replaced';
      const moved = existing !== undefined && !sameBaseUrl(existing.baseUrl, baseUrl);
      const from = moved ? `, before at ${existing.baseUrl}` : '';
      const hint = current === name ? 'it is in use' : `use it with: vc profile use ${name}`;
      await done(context, `${verb} profile ${name} for ${baseUrl}${from}; ${hint}`);
    }
    return undefined;
  },
});

function profileName(text: string): string {
  if (PROFILE_NAME.test(text)) return text;
  throw new UsageError('must be 1 to 64 letters, digits, ".", "_" or "-", the first no sign');
}
