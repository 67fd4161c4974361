/** Longest result: variables that name each other twice would double it with each line. */
const MOST_CHARACTERS = 64 * 1024;
const MOST_NESTED = 100;

/** The value of a variable; undefined if it is not set. */
export type Lookup = (name: string) => string | undefined;

/**
 * Replaces variables in a word and removes its quotes, as Docker does: `$name`, `${name}`,
 * `${name:-word}`, `${name:+word}`, `${name:?word}`, each also without the colon. Throws an Error whose
 * message has no place.
 *
 * @param escaping the escape character of the Dockerfile
 */
export function expand(word: string, lookup: Lookup, escaping = '\\'): string {
  return new Expansion(word, lookup, escaping).until('', 'word');
}

/** Replaces variables in a text in which quotes mean nothing. */
export function expandText(text: string, lookup: Lookup, escaping = '\\'): string {
  return new Expansion(text, lookup, escaping).until('', 'text');
}

/** Words between spaces; spaces in quotes and behind an escape do not count. Quotes are kept. */
export function quotedWords(text: string, escaping = '\\'): string[] {
  const [e, not] = escaping === '`' ? ['`', '`'] : ['\\\\', '\\\\'];
  const word = new RegExp(
    `(?:${e}[\\s\\S]|'[^']*'|"(?:${e}[\\s\\S]|[^"${not}])*"|[^\\s'"${not}])+|[^\\s]`,
    'g',
  );
  const words = text.match(word) ?? [];
  if (words.some((each) => each === "'" || each === '"')) throw new Error('a quote is not closed');
  return words;
}

/** In words quotes are removed; in `quoted` and `text` an escape is only one before `$` and itself. */
type Mode = 'word' | 'quoted' | 'text';

const NO_BRACE = 'a variable has no closing brace';

class Expansion {
  readonly #text: string;
  readonly #lookup: Lookup;
  readonly #escaping: string;
  #at = 0;
  #depth = 0;

  constructor(text: string, lookup: Lookup, escaping: string) {
    this.#text = text;
    this.#lookup = lookup;
    this.#escaping = escaping;
  }

  /** Expands up to `end`, which is skipped; to the end of the text if it is empty. */
  until(end: '' | '}' | '"', mode: Mode): string {
    this.#depth += 1;
    if (this.#depth > MOST_NESTED) throw new Error('variables are nested too deeply');
    let result = '';
    while (true) {
      const character = this.#text[this.#at];
      if (character === undefined && end !== '') {
        throw new Error(end === '}' ? NO_BRACE : 'a quote is not closed');
      }
      this.#at += 1;
      if (character === undefined || character === end) {
        this.#depth -= 1;
        return result;
      }
      result += this.#next(character, mode);
      if (result.length > MOST_CHARACTERS) throw new Error('a value is too long');
    }
  }

  #next(character: string, mode: Mode): string {
    if (character === '$') return this.#variable();
    if (character === this.#escaping) return this.#escaped(mode);
    if (character === '"' && mode === 'word') return this.until('"', 'quoted');
    if (character === "'" && mode === 'word') {
      const end = this.#text.indexOf("'", this.#at);
      if (end < 0) throw new Error('a quote is not closed');
      const literal = this.#text.slice(this.#at, end);
      this.#at = end + 1;
      return literal;
    }
    return character;
  }

  #escaped(mode: Mode): string {
    const next = this.#text[this.#at];
    if (next === undefined) return mode === 'word' ? '' : this.#escaping;
    this.#at += 1;
    const isMeant = mode === 'word' || ['$', this.#escaping].includes(next);
    return isMeant || (mode === 'quoted' && next === '"') ? next : this.#escaping + next;
  }

  #variable(): string {
    const isBraced = this.#text[this.#at] === '{';
    if (isBraced) this.#at += 1;
    const [name] = /^(?:[A-Za-z_]\w*|\d+)/.exec(this.#text.slice(this.#at, this.#at + 256)) ?? [''];
    this.#at += name.length;
    if (!isBraced) return name === '' ? '$' : (this.#lookup(name) ?? '');
    if (name === '') throw new Error('a variable in braces has no name');
    const value = this.#lookup(name);
    const [modifier = ''] = /^(?:\}|:?[-+?])/.exec(this.#text.slice(this.#at, this.#at + 2)) ?? [];
    this.#at += modifier.length;
    if (modifier === '}') return value ?? '';
    if (modifier === '' && this.#at >= this.#text.length) throw new Error(NO_BRACE);
    if (modifier === '') throw new Error(`\${${name}…} has a modifier that vc does not know`);
    const word = this.until('}', 'word');
    const isSet = modifier.startsWith(':') ? Boolean(value) : value !== undefined;
    if (modifier.endsWith('+')) return isSet ? word : '';
    if (isSet) return value ?? '';
    if (modifier.endsWith('?')) throw new Error(`${name}: ${word || 'it has no value'}`);
    return word;
  }
}
