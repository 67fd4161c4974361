import { LABEL_KEY, LABEL_SELECTOR, LABEL_VALUE } from '../../contract/constants.js';
import { UsageError } from '../errors/cli-error.js';
import { list } from '../framework/define.js';

/** Selects computers. */
export const labelSelector = list(
  '-l, --label <name[=value]>',
  'only computers with this label; repeatable',
  (text) => {
    if (LABEL_SELECTOR.test(text)) return text;
    throw new UsageError(`must be NAME=VALUE, or NAME for any value, not ${JSON.stringify(text)}`);
  },
  { completes: 'label' },
);

/** `NAME=VALUE` of a new computer. */
export function newLabel(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  const [name, value] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (LABEL_KEY.test(name) && LABEL_VALUE.test(value)) return [name, value];
  throw new UsageError(
    `must be NAME=VALUE, each at most 63 letters, digits, ".", "_", "/" or "-", not ${JSON.stringify(text)}`,
  );
}

/** `NAME=VALUE`, or `NAME-` to remove it. */
export function labelChange(text: string): readonly [string, string | null] {
  const name = text.slice(0, -1);
  return text.endsWith('-') && LABEL_KEY.test(name) ? [name, null] : newLabel(text);
}

/** ` with the label team=qa`; empty without labels. */
export function withLabels(labels: readonly string[]): string {
  if (labels.length === 0) return '';
  return ` with the ${labels.length === 1 ? 'label' : 'labels'} ${labels.join(' and ')}`;
}

/** `team=qa, stage=test`. */
export function shownLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
}
