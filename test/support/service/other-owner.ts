import { parametersOf, type Route, routes } from '../routes.js';
import { exampleOf } from '../shapes.js';

/** Path parameters of resources, by name. */
export type Names = Readonly<Record<string, string>>;

/** The routes that name a resource in their path and need a key. */
export const addressed = routes.filter((route) => !route.open && parametersOf(route).length > 0);

/** Those whose resource can be another owner's: a build makes an image of one's own, whatever others have. */
export const ofOthers = addressed.filter(({ name }) => name !== 'buildImage');

/** The ids and names reversed: same length and form, but of nothing. */
export function swapped(names: Names): Record<string, string> {
  return Object.fromEntries(
    Object.entries(names).map(([name, value]) => {
      const [, prefix = '', rest = ''] = /^((?:[a-z]+_)?)(.*)$/.exec(value) ?? [];
      return [name, prefix + [...rest].reverse().join('')];
    }),
  );
}

/** A text of an answer in which the names of both kinds of resources are equal. */
export function withoutNames(text: string, theirs: Names, missing: Names): string {
  let all = text;
  for (const [name, value] of Object.entries(theirs)) {
    all = all.replaceAll(value, `{${name}}`).replaceAll(missing[name] ?? value, `{${name}}`);
  }
  return all;
}

/** A valid body of a route, and its query. */
export function validRequest(route: Route): [body: unknown, query: string] {
  const query = route.query === undefined ? '' : queryOf(exampleOf(route.query));
  return [route.name === 'writeFile' ? 'bytes' : bodyOf(route), query];
}

function bodyOf({ name, body }: Route): unknown {
  // Any connection name would be missing.
  if (name === 'startStream') return { url: 'rtmp://127.0.0.1/live/x' };
  // So would any snapshot.
  if (name === 'forkComputer') return { name: 'copy' };
  if (name === 'resetComputer') return {};
  return body === undefined ? undefined : exampleOf(body);
}

function queryOf(values: unknown): string {
  const parameters = Object.entries(values as Record<string, unknown>).flatMap(([k, v]) =>
    [v].flat().map((one): [string, string] => [k, String(one)]),
  );
  return `?${new URLSearchParams(parameters)}`;
}
