import { UsageError } from '../errors/cli-error.js';
import type { Context } from '../framework/context.js';
import { request } from '../targets/client.js';
import { computerAddress } from '../targets/computer-address.js';
import { namedOrOnly } from '../targets/computers.js';
import { projectName } from '../targets/projects.js';

/**
 * Checks a path of the API and writes it as a path below the base URL: `/projects?x=1` of
 * `projects?x=1` and of `/api/projects?x=1`. Nothing but the service gets the key, so a path must not
 * lead anywhere else.
 * @throws UsageError
 */
export function apiPath(text: string, baseUrl: string): string {
  if (/^([a-z][a-z0-9+.-]*:|[/\\]{2})/i.test(text)) {
    throw new UsageError(
      `${JSON.stringify(text)} is an address, not a path`,
      `give a path below ${baseUrl}, such as /projects`,
    );
  }
  if (text === '' || /[^\x21-\x7e]|[\\#"<>^`|]/.test(text)) {
    throw new UsageError(
      `${JSON.stringify(text)} is not a path`,
      'percent-encode spaces and special characters',
    );
  }
  const [path = '', ...query] = text.split('?');
  if (path.split('/').some((segment) => /^(\.|%2e){1,2}$/i.test(segment))) {
    throw new UsageError(`${JSON.stringify(text)} has a segment "." or ".."`);
  }
  const base = new URL(baseUrl).pathname.replace(/\/$/, '');
  const absolute = path.startsWith('/') ? path : `/${path}`;
  const below =
    base !== '' && absolute.startsWith(`${base}/`) ? absolute.slice(base.length) : absolute;
  return [below, ...query].join('?');
}

/**
 * Replaces placeholders: `{project}` by the default project, `{computer}` by the id of the only
 * computer, and any other name in braces by the id of that computer.
 */
export async function fillPlaceholders(context: Context, path: string): Promise<string> {
  const names = [...new Set([...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name))];
  const values = new Map<string, string>();
  for (const name of names) values.set(name, encodeURIComponent(await placeholder(context, name)));
  return path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => values.get(name) ?? '');
}

async function placeholder(context: Context, name: string): Promise<string> {
  if (name === 'project') return projectName(context, undefined);
  const text = name === 'computer' ? await namedOrOnly(context, undefined) : name;
  const address = await computerAddress(context, text);
  if ('id' in address) return address.id;
  const params = { project: address.project, computer: address.name };
  return (await request(context, 'getComputer', { params })).id;
}
