export interface JsonBounds {
  /** Levels of lists and objects in one another. */
  readonly levels: number;
  /** Items of all lists and fields of all objects. */
  readonly values: number;
  /** Fields of one object. */
  readonly fields: number;
}

/**
 * What of a parsed JSON value is beyond the bounds; undefined if nothing is. Without recursion, so that
 * deep nesting cannot overflow the stack, and at the cost of the bounds, however large the value is.
 */
export function beyond(value: unknown, bounds: JsonBounds): keyof JsonBounds | undefined {
  let values = 0;
  let level = [value].filter(isNested);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === bounds.levels) return 'levels';
    const next: object[] = [];
    for (const each of level) {
      if (!Array.isArray(each) && hasMoreFields(each, bounds.fields)) return 'fields';
      const inner: unknown[] = Array.isArray(each) ? each : Object.values(each);
      values += inner.length;
      if (values > bounds.values) return 'values';
      for (const one of inner) if (isNested(one)) next.push(one);
    }
    level = next;
  }
  return undefined;
}

function hasMoreFields(object: object, most: number): boolean {
  let fields = 0;
  for (const _ in object) if (++fields > most) return true;
  return false;
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];
const LAST_SPACE = 0x20;

export interface JsonTextBounds extends JsonBounds {
  /** Fields of all objects: one with a name of its own costs ten times as much as another value. */
  readonly allFields: number;
}

/**
 * What of a JSON text is beyond the bounds, before its values are made, which takes half a microsecond
 * and 100 bytes for each. The text need not be valid.
 */
export function textBeyond(text: string, bounds: JsonTextBounds): keyof JsonTextBounds | undefined {
  const open: { readonly isObject: boolean; fields: number }[] = [];
  let values = 0;
  let allFields = 0;
  let hasBegun = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= LAST_SPACE) continue;
    const isEnd = code === LIST_END || code === OBJECT_END;
    if (code === COMMA || (hasBegun && !isEnd)) {
      if (++values > bounds.values) return 'values';
      const inner = open.at(-1);
      if (inner?.isObject) {
        if (++inner.fields > bounds.fields) return 'fields';
        if (++allFields > bounds.allFields) return 'allFields';
      }
    }
    hasBegun = code === LIST || code === OBJECT;
    if (hasBegun) {
      if (open.length === bounds.levels) return 'levels';
      open.push({ isObject: code === OBJECT, fields: 0 });
    } else if (isEnd) open.pop();
    else if (code === QUOTE) at = endOfString(text, at);
  }
  return undefined;
}

/** The position of the quote that ends the string which begins at `begin`, or the end of the text. */
function endOfString(text: string, begin: number): number {
  for (let at = begin + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}
