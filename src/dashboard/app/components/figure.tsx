import type { ComponentChildren } from 'preact';

interface FigureProps {
  readonly name: string;
  readonly value: ComponentChildren;
  /** The limit, shown as a bar too. */
  readonly of?: number | undefined;
  /** The limit in words, and the number to compare with it, where `value` is no number. */
  readonly ofText?: string;
  readonly part?: number;
  readonly unit?: string;
  readonly href?: string;
  readonly note?: string | undefined;
  readonly isBad?: boolean;
}

/** A number with its name, its limit if it has one, and a link to what it counts. */
export function Figure(props: FigureProps) {
  const { name, value, of, ofText = of, part = Number(value), unit, href, note, isBad } = props;
  return (
    <div data-bad={isBad}>
      <dt>{href === undefined ? name : <a href={href}>{name}</a>}</dt>
      <dd>
        <span class="nowrap">{value}</span>{' '}
        {of !== undefined && (
          <span class="muted">of {[ofText, unit].filter(Boolean).join(' ')}</span>
        )}
        {note !== undefined && <p class="muted">{note}</p>}
        {of !== undefined && (
          <meter min={0} max={of} value={part} aria-label={`${name}: ${value} of ${ofText}`} />
        )}
      </dd>
    </div>
  );
}
