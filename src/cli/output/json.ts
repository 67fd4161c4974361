import { errorMessage } from '../../lib/text/error-message.js';
import { nearest } from '../../lib/text/nearest.js';
import { UsageError } from '../errors/cli-error.js';
import type { CommandDefinition } from '../framework/define.js';

/** How to print a JSON document. */
export interface JsonChoice {
  /** Fields of each object; all if undefined. */
  readonly fields?: readonly string[];
  /** A jq expression to filter it with. */
  readonly jq?: string;
}

/**
 * Checks --json and --jq before the command runs.
 * @throws UsageError for unknown fields or an invalid jq expression
 */
export async function checkJsonChoice(
  { name, fields: known }: CommandDefinition,
  { fields, jq }: JsonChoice,
): Promise<void> {
  if (fields !== undefined) {
    if (known === undefined) {
      throw new UsageError(`--json: ${name} has no fields to select`, 'use --json without fields');
    }
    const unknown = fields.find((field) => !known.includes(field));
    if (unknown !== undefined) {
      const near = nearest(unknown, known);
      const meant = near === undefined ? '' : `; did you mean ${near}?`;
      throw new UsageError(
        `--json: there is no field ${JSON.stringify(unknown)}${meant}`,
        `fields: ${known.join(', ')}`,
      );
    }
  }
  if (jq !== undefined) await checkJq(jq);
}

/** @throws UsageError for an invalid expression */
async function checkJq(expression: string): Promise<void> {
  try {
    await runJq({}, `def checked: ${expression}\n; empty`);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // Positions refer to the text around the expression.
    const ends = error.message.replace(/unexpected ';'.*$/, 'it ends too early');
    throw new UsageError(ends.replace(/ at <top-level>.*$/, ''), error.remedy);
  }
}

/** Keeps only these fields of the object, or of each object of its list. */
export function selectFields(document: unknown, fields: readonly string[]): unknown {
  if (Array.isArray(document)) return document.map((item) => selectFields(item, fields));
  if (!isObject(document)) return document;
  if (isObject(document.error)) return document;
  if ('answer' in document) {
    return { ...document, answer: selectFields(document.answer, fields) };
  }
  const lists = Object.entries(document).filter(([, value]) => Array.isArray(value));
  const [list] = lists;
  if (list !== undefined && !fields.some((field) => Object.hasOwn(document, field))) {
    return { [list[0]]: selectFields(list[1], fields) };
  }
  return Object.fromEntries(fields.map((field) => [field, document[field] ?? null]));
}

/**
 * The output of jq: strings without quotes, anything else as JSON on one line.
 * @throws UsageError if jq fails
 */
export async function runJq(document: unknown, expression: string): Promise<string> {
  const { raw } = await import('jq-wasm');
  try {
    return await raw(JSON.stringify(document), expression, ['-r', '-c']);
  } catch (cause) {
    const said = errorMessage(cause);
    const where = /^jq: (error|\d+ compile errors?)( \(at [^)]*\))?[^:]*: ?/;
    const reason = said.replace(where, '').split('\n')[0] ?? '';
    const remedy = /^date .* does not match format/.test(reason)
      ? 'times have milliseconds: .created_at[:19] + "Z" | fromdate; see: vc help jq'
      : 'see: vc help jq';
    throw new UsageError(`--jq: ${reason}`, remedy);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
