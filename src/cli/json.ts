import { type CommandDefinition, enumerate } from './define.js';
import { UsageError } from './errors.js';
import { nearest } from './nearest.js';

/** What a user wants of a JSON document. */
export interface JsonChoice {
  /** Fields of each thing; all of them when undefined. */
  readonly fields?: readonly string[];
  /** A jq expression to run it through. */
  readonly jq?: string;
}

/**
 * Checks a choice before anything is done: the fields against those of the command, the
 * expression with jq itself.
 * @throws UsageError it cannot be met; names the fields there are
 */
export async function checkJsonChoice(
  { name, fields: known }: CommandDefinition,
  { fields, jq }: JsonChoice,
): Promise<void> {
  if (fields !== undefined) {
    if (known === undefined) {
      throw new UsageError(`--json: ${name} has no fields to choose from`, 'give --json alone');
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

/** @throws UsageError jq does not understand it */
async function checkJq(expression: string): Promise<void> {
  try {
    await runJq({}, `def checked: ${expression}\n; empty`);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // What stands behind it here is not what the user wrote.
    const ends = error.message.replace(/unexpected ';'.*$/, 'it ends too early');
    throw new UsageError(ends.replace(/ at <top-level>.*$/, ''), error.hint);
  }
}

/** The document with the chosen fields only, of the thing itself or of each in its list. */
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
 * What jq prints of the document: strings bare, anything else as JSON on one line.
 * @throws UsageError jq refuses the expression or cannot apply it
 */
export async function runJq(document: unknown, expression: string): Promise<string> {
  const { raw } = await import('jq-wasm');
  try {
    return await raw(JSON.stringify(document), expression, ['-r', '-c']);
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    const reason = said.replace(/^jq: (error|\d+ compile errors?)[^:]*: ?/, '').split('\n')[0];
    throw new UsageError(`--jq: ${reason}`, 'see: https://jqlang.org/manual');
  }
}

/** `field, field and field`, for help. */
export function listFields(fields: readonly string[]): string {
  return enumerate(fields).replace(/ or (?=\S+$)/, ' and ');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
