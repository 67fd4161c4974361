import type { Screenshot } from '../../contract/actions/actions.js';
import type { Return } from './leases.js';

/** What a picture says of a return: nothing unless it is the client's first one since. */
export function controlNotice(
  returned: Return | undefined,
): Pick<Screenshot, 'control_returned_at' | 'control_notice'> {
  if (returned === undefined) return {};
  const who = returned.isPerson ? 'A person' : 'Another client';
  const time = returned.at.toISOString();
  const control_notice = `${who} had control of this computer until ${time} and may have changed the screen.`;
  return { control_returned_at: time, control_notice };
}
