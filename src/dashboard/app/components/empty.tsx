import type { ComponentChildren } from 'preact';

/** What a page shows in place of an empty list. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Commands to copy. */
export function Commands({ lines }: { lines: readonly string[] }) {
  return (
    <pre class="commands">
      {lines.map((line) => (
        <code key={line}>{`${line}\n`}</code>
      ))}
    </pre>
  );
}
