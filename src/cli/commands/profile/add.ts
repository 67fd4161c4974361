import { PROFILE_NAME, sameBaseUrl } from '../../../profile/index.js';
import { UsageError } from '../../errors/cli-error.js';
import { argument, defineCommand, flag, value } from '../../framework/define.js';
import { checkedApiKey, readApiKey } from '../../input/api-key.js';
import { checkBaseUrl } from '../../input/base-url.js';
import { nonEmpty } from '../../input/parse.js';
import { done, printJson } from '../../output/print.js';

export const command = defineCommand({
  name: 'add',
  summary: 'Add or replace a profile',
  details: [
    'Prompts for the API key without echo, or reads it from stdin. It is not an argument, because other',
    'users could see it. The first profile becomes the current one. --cacert is kept in the profile; without it, the profile has none.',
  ].join(' '),
  arguments: { name: argument('name', 'name of the profile', profileName) },
  options: {
    defaultProject: value(
      '--default-project <name>',
      'project of computers given by name alone',
      nonEmpty,
    ),
    fromEnv: flag('--from-env', 'read the key from VC_API_KEY'),
    use: flag('--use', 'make it the current profile'),
  },
  examples: [
    {
      does: 'Add a profile and use it',
      command: 'vc profile add office --base-url https://vc.example.com/api --use',
    },
    {
      does: 'Read the key from a file',
      command: 'vc profile add ci --base-url https://vc.example.com/api < ci.key',
    },
  ],
  async run(context, { name }, { defaultProject, fromEnv, use }) {
    const store = context.profiles();
    const { profiles } = await store.read();
    const existing = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
    const baseUrl = context.globals.baseUrl ?? context.env.VC_BASE_URL ?? existing?.baseUrl;
    if (!baseUrl) throw new UsageError('no base URL given', 'add --base-url URL');
    checkBaseUrl(baseUrl);
    if (fromEnv && !context.env.VC_API_KEY) throw new UsageError('VC_API_KEY is not set');
    const apiKey = fromEnv
      ? checkedApiKey(context.env.VC_API_KEY)
      : await readApiKey(context, baseUrl);
    const project = defaultProject ?? existing?.project;
    const { cacert } = context.globals;
    await store.set(name, {
      baseUrl,
      apiKey,
      ...(project === undefined ? {} : { project }),
      ...(cacert === undefined ? {} : { cacert }),
    });
    if (use) await store.use(name);
    const { current } = await store.read();
    if (context.globals.json)
      await printJson(context, { name, base_url: baseUrl, project, current: current === name });
    else {
      const verb = existing === undefined ? 'added' : 'replaced';
      const moved = existing !== undefined && !sameBaseUrl(existing.baseUrl, baseUrl);
      const from = moved ? ` (was ${existing.baseUrl})` : '';
      const next =
        current === name ? 'it is the current profile' : `to use it: vc profile use ${name}`;
      await done(context, `${verb} profile ${name} for ${baseUrl}${from}; ${next}`);
    }
  },
});

function profileName(text: string): string {
  if (PROFILE_NAME.test(text)) return text;
  throw new UsageError(
    'must be 1 to 64 letters, digits, ".", "_" or "-", and start with a letter or digit',
  );
}
