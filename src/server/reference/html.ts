/** A piece of HTML, as opposed to text that must be escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | undefined | Html | readonly Html[];

/** A template whose values are escaped, apart from pieces of HTML. */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(
    strings
      .map((text, index) => `${text}${index < values.length ? raw(values[index]) : ''}`)
      .join(''),
  );
}

function raw(value: Part): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(({ text }: Html) => text).join('');
  return escapeText(String(value));
}

function escapeText(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** A description: lines, some of them items of a list, with code between backticks. */
export function prose(text: string): Html {
  const lines = text.split('\n').filter((line) => line !== '');
  const items = lines.filter((line) => line.startsWith('- '));
  if (items.length === lines.length && items.length > 0) {
    return html`<ul>${items.map((line) => html`<li>${inline(line.slice(2))}</li>`)}</ul>`;
  }
  return html`${lines.map((line) => html`<p>${inline(line)}</p>`)}`;
}

/** Text with code between backticks. */
export function inline(text: string): Html {
  const parts = text.split('`');
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;
}
