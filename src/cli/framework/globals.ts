import { nonEmpty, text } from '../input/parse.js';
import type { Globals } from './context.js';
import { flag, type Option, optionalValue, type Raw, value } from './define.js';

/** Options of every command, before or after its name. */
export const globalOptions = {
  project: value(
    '-p, --project <name>',
    'project of computers given by name alone (VC_PROJECT)',
    nonEmpty,
    { completes: 'project' },
  ),
  json: optionalValue(
    '--json [fields]',
    'print JSON, optionally only these fields: --json id,name',
  ),
  jq: value('--jq <expression>', 'filter the JSON with a jq expression (vc help jq)', nonEmpty),
  quiet: flag('-q, --quiet', 'only print ids'),
  profile: value('--profile <name>', 'profile to use (VC_PROFILE)', nonEmpty, {
    completes: 'profile',
  }),
  baseUrl: value('--base-url <url>', 'base URL of the service (VC_BASE_URL)', text),
  cacert: value(
    '--cacert <file>',
    'trust only this certificate authority, a PEM file (VC_CACERT)',
    nonEmpty,
    { completes: 'file' },
  ),
  color: flag('--no-color', 'disable colours (NO_COLOR)'),
} satisfies Record<string, Option<unknown>>;

/** The typed values of the global options. */
export function readGlobals(raw: Readonly<Record<string, Raw>>): Globals {
  const json = globalOptions.json.read(raw.json);
  const jq = globalOptions.jq.read(raw.jq);
  return {
    json: json !== undefined || jq !== undefined,
    ...(json ? { fields: fieldList(json) } : {}),
    ...(jq === undefined ? {} : { jq }),
    quiet: globalOptions.quiet.read(raw.quiet),
    project: globalOptions.project.read(raw.project),
    profile: globalOptions.profile.read(raw.profile),
    baseUrl: globalOptions.baseUrl.read(raw.baseUrl),
    cacert: globalOptions.cacert.read(raw.cacert),
    color: globalOptions.color.read(raw.color),
  };
}

function fieldList(text: string): readonly string[] {
  return [...new Set(text.split(',').map((field) => field.trim()))].filter((field) => field !== '');
}
