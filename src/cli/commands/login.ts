import { ServiceError } from '../../client/errors.js';
import { DEFAULT_BASE_URL } from '../../contract/constants.js';
import type { Answer } from '../../contract/types/index.js';
import { shellWord } from '../../lib/text/shell-word.js';
import {
  givenAuthority,
  PROFILE_NAME,
  type ProfileFile,
  readAuthority,
  recordedSocket,
  sameBaseUrl,
} from '../../profile/index.js';
import { CliError, UsageError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';
import { defineCommand, optional } from '../framework/define.js';
import { readApiKey } from '../input/api-key.js';
import { checkBaseUrl } from '../input/base-url.js';
import { done, printJson } from '../output/print.js';
import { during } from '../output/progress.js';
import { type ClientSettings, checkReachable, openClient } from '../targets/client.js';

export const command = defineCommand({
  name: 'login',
  summary: 'Log in to a service with an API key',
  details: [
    'Prompts for the API key without echo, or reads it from stdin. Checks the key with the service and',
    'saves it in a profile, which becomes the current one: the profile of --profile, an existing',
    'profile of this service, or a new one named after its host. Without an address it is that of the',
    `profile, else that of the current profile, else ${DEFAULT_BASE_URL}. Without --profile, it does not replace the key of another owner. --cacert is kept in the profile; without it, the profile has none.`,
  ].join(' '),
  arguments: { url: optional('url', 'base URL of the service, as --base-url', serviceUrl) },
  options: {},
  examples: [
    { does: 'Log in to a service', command: 'vc login https://vc.example.com/api' },
    {
      does: 'Log in to the current service with another key',
      command: 'vc login --profile colleague',
    },
    {
      does: 'Read the key from a file',
      command: 'vc login --base-url https://vc.example.com/api < key.txt',
    },
  ],
  async run(context, { url }) {
    const store = context.profiles();
    const file = await store.read();
    const baseUrl = loginAddress(context, file, url);
    checkBaseUrl(baseUrl);
    const name = context.globals.profile ?? profileFor(file, baseUrl);
    const existing = Object.hasOwn(file.profiles, name) ? file.profiles[name] : undefined;
    const isSame = existing !== undefined && sameBaseUrl(existing.baseUrl, baseUrl);
    const { cacert } = context.globals;
    const trusted = givenAuthority(context.globals, context.env);
    const ca = trusted && readAuthority(trusted);
    await checkService(context, { baseUrl, ca });
    const apiKey = await readApiKey(context, baseUrl);
    const socket = isSame ? existing.socket : undefined;
    const socketPath = socket ?? recordedSocket(baseUrl, context.env);
    const me = await during(
      context.progress(`Checking the key with ${baseUrl}`),
      checkKey(context, { baseUrl, apiKey, socketPath, ca }),
    );
    if (isSame && context.globals.profile === undefined && existing.apiKey !== apiKey) {
      await keepOther(context, { name, me }, { baseUrl, apiKey: existing.apiKey, socketPath, ca });
    }
    await store.set(name, {
      baseUrl,
      apiKey,
      ...(existing?.project === undefined ? {} : { project: existing.project }),
      ...(socket === undefined ? {} : { socket }),
      ...(cacert === undefined ? {} : { cacert }),
    });
    await store.use(name);
    if (context.globals.json) {
      await printJson(context, { profile: name, base_url: baseUrl, ...me });
    } else {
      await done(context, `logged in to ${baseUrl} as ${me.name} (${me.user_id}), profile ${name}`);
    }
  },
});

/** An argument; without a path it is that of every service, `/api`. */
function serviceUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new UsageError(
      `must be an http(s) URL, not ${JSON.stringify(text)}`,
      'for example: vc login https://vc.example.com/api; for a profile: vc login --profile NAME',
    );
  }
  const { origin, pathname, search } = new URL(text);
  return pathname === '/' && search === '' ? `${origin}/api` : text;
}

function loginAddress(
  { globals, env }: Context,
  { current, profiles }: ProfileFile,
  url: string | undefined,
): string {
  const { baseUrl = url, profile = current } = globals;
  if (url !== undefined && baseUrl !== undefined && !sameBaseUrl(url, baseUrl)) {
    throw new UsageError('two addresses are given', 'give one: vc login URL');
  }
  // A key for a new profile is one of the current service, unless an address says otherwise.
  const known = [profile, current].map((name) =>
    Object.hasOwn(profiles, name) ? profiles[name]?.baseUrl : undefined,
  );
  return baseUrl ?? (env.VC_BASE_URL || known[0] || known[1] || DEFAULT_BASE_URL);
}

/** Fails before the prompt if the service is unreachable. */
async function checkService({ interrupts }: Context, service: ClientSettings): Promise<void> {
  const client = openClient(service);
  try {
    await checkReachable(client, interrupts.signal);
  } finally {
    await client.close();
  }
}

async function checkKey({ interrupts }: Context, options: ClientSettings) {
  const client = openClient(options);
  try {
    return await client.request('getMe', { signal: interrupts.signal, timeoutMs: 15_000 });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.knownCode !== 'unauthorized') throw error;
    throw new CliError(`${options.baseUrl} does not accept this API key`, {
      remedy: 'copy the whole key again; if it is of another service: vc login URL',
      exitCode: ExitCode.authentication,
      code: error.code,
      cause: error,
    });
  } finally {
    await client.close();
  }
}

/** Throws if the profile has a key of another owner: keys are shown only once. */
async function keepOther(
  context: Context,
  { name, me }: { readonly name: string; readonly me: Answer<'getMe'> },
  options: ClientSettings,
): Promise<void> {
  const other = await checkKey(context, options).catch((error: unknown) => {
    // A key that is not valid any more may be replaced.
    if (error instanceof CliError && error.exitCode === ExitCode.authentication) return undefined;
    throw error;
  });
  if (other === undefined || other.user_id === me.user_id) return;
  const login = (profile: string) => `vc login --profile ${shellWord(profile)} ${options.baseUrl}`;
  throw new CliError(
    `the profile ${name} has a key of the owner ${other.name}; the new key is one of ${me.name}`,
    {
      remedy: `keep both: ${login(me.name)}; or replace it: ${login(name)}`,
      exitCode: ExitCode.conflict,
      code: 'conflict',
    },
  );
}

/** An existing profile of the service, the current one first, else a name from its host. */
function profileFor({ current, profiles }: ProfileFile, baseUrl: string): string {
  const entries = Object.entries(profiles);
  if (entries.length === 0) return current;
  const same = entries.filter(([, profile]) => sameBaseUrl(profile.baseUrl, baseUrl));
  const found = same.find(([name]) => name === current) ?? same[0];
  if (found !== undefined) return found[0];
  const host = new URL(baseUrl).hostname;
  return PROFILE_NAME.test(host) ? host : 'service';
}
