import { UsageError } from '../errors/cli-error.js';

/** Any text. */
export const text = (value: string): string => value;

/** Non-empty text. */
export function nonEmpty(value: string): string {
  if (value === '') throw new UsageError('must not be empty');
  return value;
}

/** A decimal number from `min` to `max`, whole unless `step` is `any`. */
export function number(limits: {
  readonly min: number;
  readonly max: number;
  readonly unit: string;
  readonly step?: 'any';
}): (text: string) => number {
  const { min, max, unit } = limits;
  const kind = limits.step === 'any' ? 'a number' : 'a whole number';
  return (text) => {
    const value = Number(text);
    const isNumber = /^-?(\d+\.?\d*|\.\d+)$/.test(text);
    if (isNumber && value >= min && value <= max && (limits.step || Number.isInteger(value))) {
      return value;
    }
    throw new UsageError(
      `must be ${kind} from ${min} to ${max} (${unit}), not ${JSON.stringify(text)}`,
    );
  };
}

/** A coordinate. The service rounds it and checks it against the screen. */
export const pixel = number({ min: 0, max: 10_000, unit: 'pixels', step: 'any' });

/** `x,y,width,height` in pixels. */
export function region(text: string): { x: number; y: number; width: number; height: number } {
  const match = /^(\d{1,5}),(\d{1,5}),(\d{1,5}),(\d{1,5})$/.exec(text.replaceAll(' ', ''));
  const [x = 0, y = 0, width = 0, height = 0] = (match ?? []).slice(1).map(Number);
  if (match !== null && width > 0 && height > 0) return { x, y, width, height };
  throw new UsageError(`must be X,Y,WIDTH,HEIGHT in pixels, not ${JSON.stringify(text)}`);
}

/** `WIDTHxHEIGHT` in pixels, 320x240 to 3840x2160. */
export function resolution(text: string): { width: number; height: number } {
  const match = /^(\d{3,4})x(\d{3,4})$/.exec(text);
  const [width = 0, height = 0] = (match ?? []).slice(1).map(Number);
  const inRange = width >= 320 && width <= 3840 && height >= 240 && height <= 2160;
  if (match !== null && inRange) return { width, height };
  throw new UsageError(
    `must be WIDTHxHEIGHT from 320x240 to 3840x2160, not ${JSON.stringify(text)}`,
  );
}

/** `NAME=VALUE`. */
export function assignment(text: string): readonly [string, string] {
  const match = /^([A-Za-z_][A-Za-z0-9_]*)=([\s\S]*)$/.exec(text);
  if (match === null) throw new UsageError('must be NAME=VALUE');
  return [match[1] ?? '', match[2] ?? ''];
}

/** Numbers as the choices of an option. */
export function asTexts<const V extends number>(values: readonly V[]): `${V}`[] {
  return values.map((value) => `${value}` as const);
}

/** Sizes with a unit, as `4GB`, and the number of GB that each is. */
export function inGigabytes<const V extends number>(values: readonly V[]): Record<string, `${V}`> {
  const units = ['g', 'gb', 'gib'];
  return Object.fromEntries(
    asTexts(values).flatMap((text) => units.map((unit) => [`${text}${unit}`, text])),
  );
}

/** A factor as `0.5` or `50%`. */
export function factor(min: number): (text: string) => number {
  const read = number({ min, max: 1, unit: 'factor', step: 'any' });
  return (text) => {
    const [, percent] = /^(\d+\.?\d*)%$/.exec(text) ?? [];
    return read(percent === undefined ? text : `${Number(percent) / 100}`);
  };
}

/** A number of cores, or of GB of memory. */
export function sizeOf(text: '2' | '4' | '8' | undefined): 2 | 4 | 8 | undefined {
  return text === undefined ? undefined : ({ 2: 2, 4: 4, 8: 8 } as const)[text];
}
