import { UsageError } from '../errors/cli-error.js';

/** Headers that vc sets itself. */
const OWN = ['authorization', 'connection', 'content-length', 'host', 'transfer-encoding'];

/** Parses `Name: value`. */
export function header(text: string): readonly [string, string] {
  const [, name = '', value = ''] =
    /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e\t]*)$/.exec(text) ?? [];
  if (name === '') throw new UsageError('must be "NAME: VALUE"');
  if (OWN.includes(name.toLowerCase())) {
    throw new UsageError(`${name} is set by vc`, 'to use another key, set VC_API_KEY');
  }
  return [name.toLowerCase(), value.trim()];
}
