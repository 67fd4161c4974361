import { LargeJson } from '../requests.js';

/** Bytes of an entry of the audit log as JSON, a little more than most have. */
const ENTRY_BYTES = 700;

/**
 * An answer with entries of the audit log. They are read when there is memory for them: hundreds of
 * requests may ask for a thousand each.
 */
export function entriesAnswer<Answer extends object>(limit: number, read: () => Answer): LargeJson {
  return new LargeJson(limit * ENTRY_BYTES, () => Buffer.from(JSON.stringify(read())));
}
