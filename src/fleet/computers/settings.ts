import { isDeepStrictEqual } from 'node:util';
import { EXPIRY_SECONDS, MAX_LABELS } from '../../contract/constants.js';
import { ApiError } from '../../contract/errors.js';
import type { ComputerSettings, UpdateComputer } from '../../contract/resources.js';
import { machineSize, wantedSize } from '../lifecycle/machine-size.js';
import type { ComputerRecord } from '../store/records.js';

type Settings = Pick<
  ComputerRecord,
  'auto_stop_minutes' | 'on_idle' | 'expires_at' | 'labels' | 'protected'
>;
type Size = Pick<ComputerRecord, 'ram' | 'cpu' | 'width' | 'height' | 'machine_size'>;

/** What a new row has. Throws `invalid_request` for settings that do not go together. */
export function newSettings(input: ComputerSettings): Settings {
  const { auto_stop_minutes, on_idle, expires_in } = input;
  refuseIdle({ auto_stop_minutes, on_idle });
  return {
    auto_stop_minutes,
    on_idle,
    expires_at:
      expires_in === undefined ? null : new Date(Date.now() + expires_in * 1000).toISOString(),
    labels: JSON.stringify(input.labels),
    protected: Number(input.protected),
  };
}

/** The same of a row after a change. */
export function changedSettings(present: ComputerRecord, change: UpdateComputer): Settings {
  const auto_stop_minutes =
    change.auto_stop_minutes === undefined ? present.auto_stop_minutes : change.auto_stop_minutes;
  // Without auto-stop nothing of it is left: a later one must not delete unasked.
  const kept = auto_stop_minutes === null ? 'stop' : present.on_idle;
  const on_idle = change.on_idle ?? kept;
  refuseIdle({ auto_stop_minutes, on_idle });
  return {
    auto_stop_minutes,
    on_idle,
    expires_at: change.expires_at === undefined ? present.expires_at : timeOf(change.expires_at),
    labels: JSON.stringify(mergedLabels(present.labels, change.labels ?? {})),
    protected: change.protected === undefined ? present.protected : Number(change.protected),
  };
}

/** The size of a row after a change; its machine still has the one that it had. */
export function changedSize(present: ComputerRecord, change: UpdateComputer): Size {
  const { width, height } = change.resolution ?? present;
  const size = { ram: change.ram ?? present.ram, cpu: change.cpu ?? present.cpu, width, height };
  const isSame = isDeepStrictEqual(wantedSize(size), wantedSize(present));
  const machine_size = isSame ? present.machine_size : JSON.stringify(machineSize(present));
  return { ...size, machine_size };
}

function refuseIdle({
  auto_stop_minutes,
  on_idle,
}: Omit<Settings, 'expires_at' | 'labels' | 'protected'>) {
  if (on_idle === 'stop' || auto_stop_minutes !== null) return;
  throw new ApiError('invalid_request', 'on_idle "delete" needs auto_stop_minutes.', {
    remedy: 'Say after how long: --auto-stop 1h, or auto_stop_minutes: 60',
  });
}

function timeOf(given: string | null): string | null {
  if (given === null) return null;
  const time = new Date(given);
  const seconds = (time.getTime() - Date.now()) / 1000;
  if (seconds > EXPIRY_SECONDS.most) {
    const message = 'expires_at must be at most 365 days from now.';
    throw new ApiError('invalid_request', message, {
      remedy: 'To keep a computer: --expires never, or expires_at: null',
    });
  }
  if (seconds > 0) return time.toISOString();
  throw new ApiError('invalid_request', 'expires_at must be in the future.', {
    remedy: 'To delete a computer now: vc rm COMPUTER',
  });
}

function mergedLabels(
  present: string,
  changes: NonNullable<UpdateComputer['labels']>,
): Record<string, string> {
  const all = { ...(JSON.parse(present) as Record<string, string | null>), ...changes };
  const labels = Object.entries(all).filter(
    (label): label is [string, string] => label[1] !== null,
  );
  if (labels.length > MAX_LABELS) {
    const message = `A computer has at most ${MAX_LABELS} labels, and these are ${labels.length}.`;
    throw new ApiError('invalid_request', message, {
      remedy: 'Remove others: vc computer update COMPUTER --label NAME-',
    });
  }
  return Object.fromEntries(labels);
}
