const MASK = '***';

/** A function that replaces the secrets in a text. */
export function masker(secrets: readonly string[]): (text: string) => string {
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((masked, secret) => masked.replaceAll(secret, MASK), text);
}

/** Replaces secrets in a text that arrives in pieces, also those that are divided. */
export class StreamMask {
  readonly #mask: (text: string) => string;
  /** Characters that may be the beginning of a secret. */
  readonly #kept: number;
  #waiting = '';

  constructor(secrets: readonly string[]) {
    this.#mask = masker(secrets);
    this.#kept = Math.max(1, ...secrets.map(({ length }) => length)) - 1;
  }

  /** What can be written of the text so far. */
  push(text: string): string {
    const masked = this.#mask(this.#waiting + text);
    const end = Math.max(0, masked.length - this.#kept);
    this.#waiting = masked.slice(end);
    return masked.slice(0, end);
  }

  /** The rest. */
  end(): string {
    const rest = this.#waiting;
    this.#waiting = '';
    return rest;
  }
}
