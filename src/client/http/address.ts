/** Which computer: by its generated id, or by its project and name. */
export type ComputerAddress =
  | { readonly id: string }
  | { readonly project: string; readonly name: string };

/** An address as the path parameters of an operation. */
export type ComputerParameters =
  | { readonly id: string }
  | { readonly project: string; readonly computer: string };

export function computerParameters(address: ComputerAddress): ComputerParameters {
  if (typeof address !== 'object' || address === null) {
    throw new TypeError('a computer is named by { project, name } or { id }');
  }
  if ('id' in address) return { id: address.id };
  return { project: address.project, computer: address.name };
}

/**
 * Fills in the first of `paths` with exactly these parameters, percent-encoding every value. Also
 * encodes the dots of `.` and `..`, which URL parsers would resolve.
 */
export function buildPath(
  paths: readonly string[],
  parameters: Readonly<Record<string, string>>,
): string {
  const given = Object.keys(parameters);
  const path = paths.find((candidate) => {
    const wanted = parameterNames(candidate);
    return wanted.length === given.length && wanted.every((name) => given.includes(name));
  });
  if (path === undefined) {
    throw new TypeError(`no path takes the parameters ${given.join(', ') || '(none)'}`);
  }
  return path.replaceAll(/:([a-z]+)/g, (_, name: string) => encodeSegment(parameters[name] ?? ''));
}

function parameterNames(path: string): string[] {
  return [...path.matchAll(/:([a-z]+)/g)].map((match) => match[1] ?? '');
}

function encodeSegment(value: string): string {
  if (value === '') throw new TypeError('a path parameter is empty');
  if (/^\.{1,2}$/.test(value)) return value.replaceAll('.', '%2E');
  return encodeURIComponent(value.toWellFormed());
}
