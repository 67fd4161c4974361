/**
 * A pattern of Go's `filepath.Match`, which COPY and .dockerignore have, with `**` of the latter: `*` and
 * `?` match no slash, `[a-z]` and `[^a-z]` are classes, a backslash takes the next character as it is.
 * The time to match grows with the product of the lengths, whatever the pattern.
 */
export class Glob {
  readonly #tokens: readonly Token[];

  constructor(pattern: string) {
    this.#tokens = readTokens(pattern);
  }

  matches(text: string): boolean {
    const end = this.#tokens.length;
    let states = new Set<number>();
    this.#enter(0, states);
    for (const character of text) {
      const next = new Set<number>();
      for (const state of states) {
        const token = this.#tokens[state];
        if (token === undefined) continue;
        if (token.repeats && token.takes(character)) this.#enter(state, next);
        if (token.repeats ? token.endsWith === character : token.takes(character)) {
          this.#enter(state + 1, next);
        }
      }
      states = next;
      if (states.size === 0) return false;
    }
    return states.has(end);
  }

  /** Adds a state and those that are reached from it without a character. */
  #enter(state: number, states: Set<number>): void {
    if (states.has(state)) return;
    states.add(state);
    const token = this.#tokens[state];
    for (const steps of token?.skips ?? []) this.#enter(state + steps, states);
  }
}

/** True for a pattern that can match more than one name. */
export function isPattern(text: string): boolean {
  return /[*?[\\]/.test(text);
}

interface Token {
  takes(character: string): boolean;
  readonly repeats?: boolean;
  /** Of a token that repeats: the character that ends it. */
  readonly endsWith?: string;
  /** How many tokens it can pass without a character. */
  readonly skips?: readonly number[];
}

const ANY: Token = { takes: (character) => character !== '/' };
const STAR: Token = { ...ANY, repeats: true, skips: [1] };
const EVERYTHING: Token = { takes: () => true, repeats: true, skips: [1] };
/** Directories with the slash behind them, or none. */
const DIRECTORIES: readonly Token[] = [
  { takes: () => false, skips: [1, 2] },
  { takes: () => true, repeats: true, endsWith: '/' },
];

function readTokens(pattern: string): Token[] {
  const parts = pattern.match(/\*\*\/|\*\*|\[\^?(?:\\.|[^\]\\])+\]|\\.|[\s\S]/gu) ?? [];
  return parts.flatMap((part) => {
    if (part === '**/') return DIRECTORIES;
    if (part === '**') return EVERYTHING;
    if (part === '*') return STAR;
    if (part === '?') return ANY;
    if (part.length > 2 && part.startsWith('[')) return characterClass(part.slice(1, -1));
    const literal = part.length > 1 && part.startsWith('\\') ? part.slice(1) : part;
    return { takes: (character: string) => character === literal };
  });
}

function characterClass(text: string): Token {
  const isNegated = text.startsWith('^');
  const ranges = [...text.slice(isNegated ? 1 : 0).matchAll(/\\?(.)(?:-\\?(.))?/gu)].map(
    ([, from = '', to = from]) => [from, to] as const,
  );
  return {
    takes: (character) =>
      character !== '/' &&
      ranges.some(([from, to]) => from <= character && character <= to) !== isNegated,
  };
}
