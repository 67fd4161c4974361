/** Rates of a throttled network, as tc writes them. */
export const RATE = /^([89]kbit|[1-9]\d{1,3}kbit|[1-9]\d{0,3}mbit|([1-9]|10)gbit)$/;
/** What a rate has to be, in an error. */
export const RATE_FORM = 'must be from "8kbit" to "10gbit", such as "1mbit"';

/** Delays, as tc writes them. */
export const DELAY = /^([1-9]\d{0,3}ms|([1-9]|10)s)$/;
/** What a delay has to be, in an error. */
export const DELAY_FORM = 'must be from "1ms" to "10s", such as "200ms"';

const UNITS = { kbit: 1e3, mbit: 1e6, gbit: 1e9, ms: 1e-3, s: 1 } as const;

/** A rate in bits per second, or a delay in seconds. */
export function numberOf(text: string): number {
  const unit = text.replace(/\d+/, '') as keyof typeof UNITS;
  return Number.parseInt(text, 10) * UNITS[unit];
}
