import { UsageError } from '../errors/cli-error.js';

const DAY = 86_400_000;
const MILLISECONDS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: DAY, w: 7 * DAY } as const;
type Unit = keyof typeof MILLISECONDS;

/** Every unit of a duration, for help. */
export const unitNames: Readonly<Record<Unit, string>> = {
  ms: 'milliseconds',
  s: 'seconds',
  m: 'minutes',
  h: 'hours',
  d: 'days',
  w: 'weeks',
};

interface DurationLimits {
  /** Unit of the result, and of a number without a unit. */
  readonly unit: Unit;
  readonly min: string;
  readonly max: string;
  /** Where the service takes whole numbers only. */
  readonly step?: 'whole';
  /** Values that an error shows. */
  readonly examples?: string;
}

/** Parses a duration such as `500ms`, `2s`, `10m`, `1h`, `30d`, or a number in `unit`. */
export function duration(limits: DurationLimits): (text: string) => number {
  const { unit, min, max, step, examples = '500ms, 2s, 10m or 1h' } = limits;
  const [least = 0, most = 0] = [min, max].map((limit) => convert(limit, unit));
  return (text) => {
    const value = convert(text, unit);
    if (value === undefined || value < least || value > most) {
      throw new UsageError(
        `must be a duration from ${min} to ${max}, such as ${examples}, not ${JSON.stringify(text)}`,
      );
    }
    if (step === 'whole' && !Number.isInteger(value)) {
      throw new UsageError(`must be whole ${unitNames[unit]}, not ${JSON.stringify(text)}`);
    }
    return value;
  };
}

/** Milliseconds of a duration whose unit is given, such as `30d`; undefined for any other text. */
export function milliseconds(text: string): number | undefined {
  return /[a-z]$/.test(text) ? convert(text, 'ms') : undefined;
}

function convert(text: string, unit: Unit): number | undefined {
  const [, digits, suffix = unit] = /^(\d+\.?\d*|\.\d+)(ms|s|m|h|d|w)?$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const total = Number(digits) * MILLISECONDS[suffix as Unit];
  // Without the rounding errors of 1.1 s.
  return Math.round((total * 1e6) / MILLISECONDS[unit]) / 1e6;
}

/** Time limits of commands and waits, in seconds. */
export const timeLimit = duration({ unit: 's', min: '100ms', max: '24h' });

/** Idle time after which a computer stops, in minutes. */
const idleMinutes = duration({
  unit: 'm',
  min: '1m',
  max: '365d',
  step: 'whole',
  examples: '30m, 2h or 1d, or never',
});

/** Time until a computer is deleted, in seconds. */
const lifeSeconds = duration({
  unit: 's',
  min: '60s',
  max: '365d',
  step: 'whole',
  examples: '30m, 2h or 7d, or never',
});

/** The same, or null for `never`. */
export function lifeTime(text: string): number | null {
  return text === 'never' ? null : lifeSeconds(text);
}

/** Idle time, or null for `never`. */
export function idleTime(text: string): number | null {
  return text === 'never' ? null : idleMinutes(text);
}
