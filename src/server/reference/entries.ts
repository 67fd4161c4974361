import type { OpenApiDocument } from '../../contract/openapi/document.js';
import type { Json } from '../../contract/operations/operation.js';

/** One operation with every path that it answers under. */
export interface Entry {
  readonly id: string;
  readonly method: string;
  readonly paths: readonly string[];
  readonly operation: Json;
}

/** The operations of a document; the forms of a computer's address are one. */
export function entriesOf({ paths }: OpenApiDocument): Entry[] {
  const entries = new Map<string, Entry>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const id = String(operation.operationId).replace(/ByName$/, '');
      const entry = entries.get(id) ?? { id, method: method.toUpperCase(), paths: [], operation };
      entries.set(id, { ...entry, paths: [...entry.paths, path] });
    }
  }
  return [...entries.values()];
}
