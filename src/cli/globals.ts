import type { Globals } from './context.js';
import { flag, type Option, type Raw, value } from './define.js';
import { nonEmpty, text } from './parse.js';

/** Options that every command takes, before or after its name. */
export const globalOptions = {
  project: value('-p, --project <name>', 'project that a bare name is in (VC_PROJECT)', nonEmpty),
  json: flag('--json', 'print what the service answered, as one JSON document'),
  quiet: flag('-q, --quiet', 'print ids only, and no messages'),
  profile: value('--profile <name>', 'profile to use (VC_PROFILE)', nonEmpty),
  baseUrl: value('--base-url <url>', 'address of the service (VC_BASE_URL)', text),
  color: flag('--no-color', 'no colours (NO_COLOR)'),
} satisfies Record<string, Option<unknown>>;

/** The typed values of the global options. */
export function readGlobals(raw: Readonly<Record<string, Raw>>): Globals {
  return {
    json: globalOptions.json.read(raw.json),
    quiet: globalOptions.quiet.read(raw.quiet),
    project: globalOptions.project.read(raw.project),
    profile: globalOptions.profile.read(raw.profile),
    baseUrl: globalOptions.baseUrl.read(raw.baseUrl),
    color: globalOptions.color.read(raw.color),
  };
}
