import type { Conditions } from '../../contract/actions/actions.js';
import { UsageError } from '../errors/cli-error.js';

/** The options of `vc wait` that are conditions. */
export interface ConditionOptions {
  readonly element: readonly string[];
  readonly window: readonly string[];
  readonly file: readonly string[];
  readonly sizeAbove: number | undefined;
  readonly port: readonly number[];
  readonly command: readonly string[];
  readonly url: readonly string[];
  readonly any: boolean;
  readonly gone: boolean;
}

/** The conditions that options ask for; undefined without any. */
export function conditions(options: ConditionOptions): Conditions | undefined {
  const { sizeAbove, any, gone } = options;
  if (sizeAbove !== undefined && options.file.length === 0) {
    throw new UsageError('--size-above needs --file');
  }
  const given = [
    ...options.element.map((text) => ({ element: wantedElement(text) })),
    ...options.window.map((window) => ({ window })),
    ...options.file.map((file) => ({
      file,
      ...(sizeAbove !== undefined && { size_above: sizeAbove }),
    })),
    ...options.port.map((port) => ({ port })),
    ...options.command.map((command) => ({ command })),
    ...options.url.map((url) => ({ url })),
  ].map((condition) => (gone ? { ...condition, gone } : condition));
  const [only] = given;
  if (only === undefined) {
    if (any || gone) throw new UsageError(`${any ? '--any' : '--gone'} needs a condition`);
    return undefined;
  }
  if (given.length === 1) return only;
  return any ? { any: given } : { all: given };
}

/** `ROLE:NAME`, or a text in the name or value. */
export function wantedElement(text: string): NonNullable<Conditions['element']> {
  const [, role, name] = /^([a-z][a-z ]*):(.+)$/s.exec(text) ?? [];
  return role === undefined || name === undefined ? { text } : { role, name };
}
