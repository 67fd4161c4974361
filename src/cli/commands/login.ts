import {
  LOCAL_BASE_URL,
  PROFILE_NAME,
  type ProfileFile,
  sameBaseUrl,
} from '../../profile/index.js';
import { readApiKey } from '../api-key.js';
import { checkBaseUrl } from '../base-url.js';
import { checkReachable, openClient } from '../client.js';
import type { Context } from '../context.js';
import { defineCommand } from '../define.js';
import { done, printJson } from '../output.js';
import { during } from '../progress.js';

export const command = defineCommand({
  name: 'login',
  summary: 'Keep the key of a service, after trying it',
  details: [
    'The API key is asked for without echo on a terminal and read from stdin otherwise. It is tried',
    "on the service first and then kept in a profile, which becomes the current one: --profile's, the",
    "one that the service has already, or a new one named after the service's host.",
  ].join(' '),
  arguments: {},
  options: {},
  examples: [
    { does: 'Log in to a service', command: 'vc login --base-url https://vc.example.com/api' },
    {
      does: 'With the key from a file',
      command: 'vc login --base-url https://vc.example.com/api < key.txt',
    },
  ],
  async run(context) {
    const store = context.profiles();
    const file = await store.read();
    const baseUrl = loginAddress(context, file);
    checkBaseUrl(baseUrl);
    const name = context.globals.profile ?? profileFor(file, baseUrl);
    await checkThere(context, baseUrl);
    const apiKey = await readApiKey(context, baseUrl);
    const me = await during(
      context.progress(`Trying the key on ${baseUrl}`),
      tryKey(context, { baseUrl, apiKey }),
    );
    const project = Object.hasOwn(file.profiles, name) ? file.profiles[name]?.project : undefined;
    await store.set(name, { baseUrl, apiKey, ...(project === undefined ? {} : { project }) });
    await store.use(name);
    if (context.globals.json) {
      await printJson(context, { profile: name, base_url: baseUrl, ...me });
    } else {
      await done(context, `logged in to ${baseUrl} as ${me.name} (${me.user_id}), profile ${name}`);
    }
    return undefined;
  },
});

function loginAddress({ globals, env }: Context, { current, profiles }: ProfileFile): string {
  const named = profiles[globals.profile ?? current];
  return globals.baseUrl ?? (env.VC_BASE_URL || named?.baseUrl || LOCAL_BASE_URL);
}

/** Nobody is asked for the key of a service that is not there. */
async function checkThere({ interrupts }: Context, baseUrl: string): Promise<void> {
  const client = openClient({ baseUrl });
  try {
    await checkReachable(client, interrupts.signal);
  } finally {
    await client.close();
  }
}

async function tryKey({ interrupts }: Context, options: { baseUrl: string; apiKey: string }) {
  const client = openClient(options);
  try {
    return await client.request('getMe', { signal: interrupts.signal, timeoutMs: 15_000 });
  } finally {
    await client.close();
  }
}

/** The profile of that service, the current one first; else one named after its host. */
function profileFor({ current, profiles }: ProfileFile, baseUrl: string): string {
  const entries = Object.entries(profiles);
  if (entries.length === 0) return current;
  const same = entries.filter(([, profile]) => sameBaseUrl(profile.baseUrl, baseUrl));
  const found = same.find(([name]) => name === current) ?? same[0];
  if (found !== undefined) return found[0];
  const host = new URL(baseUrl).hostname;
  return PROFILE_NAME.test(host) ? host : 'service';
}
