import type { Computer } from '../../../api/types.js';
import { given } from '../../../components/forms/given.js';
import { changedPairs, readPairs } from '../../../components/forms/pairs.js';

/** The choice that leaves the expiry as it is. */
export const KEEP = 'keep';

/** The request of the settings form. */
export function settingsOf(fields: FormData, computer: Computer) {
  const { labels, env_names } = computer;
  const minutes = given(fields, 'auto_stop');
  const expires = given(fields, 'expires');
  const changedLabels = changedPairs(labels, readPairs(given(fields, 'labels')));
  const gone = env_names.filter((name) => fields.has(`remove ${name}`));
  const env = {
    ...Object.fromEntries(gone.map((name) => [name, null])),
    ...readPairs(given(fields, 'env')),
  };
  return {
    name: given(fields, 'name') ?? '',
    ...changedSize(fields, computer),
    auto_stop_minutes: minutes === undefined ? null : Number(minutes),
    on_idle: given(fields, 'on_idle') ?? 'stop',
    ...(expires === KEEP ? {} : { expires_at: expires === undefined ? null : after(expires) }),
    ...(changedLabels && { labels: changedLabels }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    protected: fields.has('protected'),
  };
}

/** What differs: the same size would undo a change that was made meanwhile. */
function changedSize(fields: FormData, { cpu, ram, resolution }: Computer) {
  const cores = Number(given(fields, 'cpu'));
  const memory = Number(given(fields, 'ram'));
  const size = given(fields, 'resolution') ?? '';
  return {
    ...(cores !== cpu && { cpu: cores }),
    ...(memory !== ram && { ram: memory }),
    ...(size !== `${resolution.width}x${resolution.height}` && { resolution: size }),
  };
}

function after(seconds: string): string {
  return new Date(Date.now() + Number(seconds) * 1000).toISOString();
}
