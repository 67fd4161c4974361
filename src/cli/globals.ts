import type { Globals } from './context.js';
import { flag, type Option, optionalValue, type Raw, value } from './define.js';
import { nonEmpty, text } from './parse.js';

/** Options that every command takes, before or after its name. */
export const globalOptions = {
  project: value('-p, --project <name>', 'project that a bare name is in (VC_PROJECT)', nonEmpty),
  json: optionalValue(
    '--json [fields]',
    'print the answer as JSON, all of it or these fields: --json=id,name',
  ),
  jq: value('--jq <expression>', 'print what jq makes of the JSON', nonEmpty),
  quiet: flag('-q, --quiet', 'print ids only, and no messages'),
  profile: value('--profile <name>', 'profile to use (VC_PROFILE)', nonEmpty),
  baseUrl: value('--base-url <url>', 'address of the service (VC_BASE_URL)', text),
  color: flag('--no-color', 'no colours (NO_COLOR)'),
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
    color: globalOptions.color.read(raw.color),
  };
}

function fieldList(text: string): readonly string[] {
  return [...new Set(text.split(',').map((field) => field.trim()))].filter((field) => field !== '');
}
