import type { Conditions } from '../../contract/actions/actions.js';
import { UsageError } from '../errors/cli-error.js';
import type { region } from './parse.js';

/** The options of `vc wait` that are conditions. */
export interface ConditionOptions {
  readonly element: readonly string[];
  readonly text: readonly string[];
  /** The part of the screen to read, with `text`. */
  readonly region: ReturnType<typeof region> | undefined;
  readonly window: readonly string[];
  readonly file: readonly string[];
  readonly sizeAbove: number | undefined;
  readonly port: readonly number[];
  readonly command: readonly string[];
  readonly url: readonly string[];
  readonly any: boolean;
  readonly gone: boolean;
}

type Area = [number, number, number, number];

/** The conditions that options ask for; undefined without any. */
export function conditions(options: ConditionOptions): Conditions | undefined {
  const { sizeAbove, any, gone, region: area } = options;
  if (sizeAbove !== undefined && options.file.length === 0) {
    throw new UsageError('--size-above needs --file');
  }
  const given = [
    ...options.element.map((text) => ({ element: wantedElement(text) })),
    ...options.text.map((text) => ({
      text,
      ...(area && { region: [area.x, area.y, area.width, area.height] as Area }),
    })),
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
