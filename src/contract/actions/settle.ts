import { z } from 'zod';
import { SETTLE_MS } from '../constants.js';
import { integer } from '../primitives.js';

const Quiet = integer(0, 5000);
const Max = integer(0, 60_000);

/**
 * Waiting for the screen after an action, or before a picture: for the first change or a short
 * time-out, then until nothing changed for `quiet_ms`, at most `max_ms`. `true` takes the defaults.
 */
export const Settle = z
  .union(
    [
      z.boolean(),
      z.object({
        quiet_ms: Quiet.default(SETTLE_MS.quiet).describe(
          'Milliseconds without a change after which the screen counts as stable.',
        ),
        max_ms: Max.default(SETTLE_MS.max).describe('Milliseconds to wait at most.'),
      }),
    ],
    { error: 'must be true, or {quiet_ms: 0 to 5000, max_ms: 0 to 60000}' },
  )
  .transform((value) => {
    if (typeof value === 'object') return value;
    return value ? { quiet_ms: SETTLE_MS.quiet, max_ms: SETTLE_MS.max } : undefined;
  })
  .meta({
    description:
      'Waits for the screen: for the first change or a short time, then until nothing has changed for `quiet_ms`, at most `max_ms`. `true` uses the defaults.',
    examples: [true],
    id: 'Settle',
  });

/** The same in a query: `1`, `0`, or `quiet_ms,max_ms` such as `200,5000`. */
export const SettleText = z
  .string({ error: 'must be 1, 0 or QUIET_MS,MAX_MS' })
  .regex(/^(0|1|true|false|\d{1,4},\d{1,5})$/i, 'must be 1, 0 or QUIET_MS,MAX_MS, such as 200,5000')
  .transform((value): z.input<typeof Settle> => {
    const [quiet_ms, max_ms] = value.split(',').map(Number);
    if (max_ms !== undefined && quiet_ms !== undefined) return { quiet_ms, max_ms };
    return value === '1' || value.toLowerCase() === 'true';
  })
  .pipe(Settle)
  .meta({
    description:
      'Waits until the screen is stable first: `1` for 100 ms without a change and 2 s at most, or `QUIET_MS,MAX_MS`, up to `5000,60000`.',
    examples: ['200,5000'],
  });

export type Settle = z.output<typeof Settle>;
