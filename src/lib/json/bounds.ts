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
