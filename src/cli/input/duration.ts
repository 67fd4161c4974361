import { UsageError } from '../errors/cli-error.js';

const MILLISECONDS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
type Unit = keyof typeof MILLISECONDS;

const unitNames = { ms: 'milliseconds', s: 'seconds', m: 'minutes', h: 'hours' } as const;

interface DurationLimits {
  /** Unit of the result, and of a number without a unit. */
  readonly unit: Unit;
  readonly min: string;
  readonly max: string;
  /** Where the service takes whole numbers only. */
  readonly step?: 'whole';
}

/** Parses a duration such as `500ms`, `2s`, `10m`, `1h`, or a number in `unit`. */
export function duration(limits: DurationLimits): (text: string) => number {
  const { unit, min, max, step } = limits;
  const [least = 0, most = 0] = [min, max].map((limit) => convert(limit, unit));
  return (text) => {
    const value = convert(text, unit);
    if (value === undefined || value < least || value > most) {
      throw new UsageError(
        `must be a duration from ${min} to ${max}, such as 500ms, 2s, 10m or 1h, not ${JSON.stringify(text)}`,
      );
    }
    if (step === 'whole' && !Number.isInteger(value)) {
      throw new UsageError(`must be whole ${unitNames[unit]}, not ${JSON.stringify(text)}`);
    }
    return value;
  };
}

function convert(text: string, unit: Unit): number | undefined {
  const [, digits, suffix = unit] = /^(\d+\.?\d*|\.\d+)(ms|s|m|h)?$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const milliseconds = Number(digits) * MILLISECONDS[suffix as Unit];
  // Without the rounding errors of 1.1 s.
  return Math.round((milliseconds * 1e6) / MILLISECONDS[unit]) / 1e6;
}

/** Time limits of commands and waits, in seconds. */
export const timeLimit = duration({ unit: 's', min: '100ms', max: '24h' });

/** Idle time after which a computer stops, in minutes. */
export const idleTime = duration({ unit: 'm', min: '1m', max: '8760h', step: 'whole' });
