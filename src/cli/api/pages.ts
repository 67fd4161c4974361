import { CliError, UsageError } from '../errors/cli-error.js';

/** Lists that are read in pages: the entries before the last one of the page before. */
const PAGED = /^\/(.+\/)?(actions|audit)$/;

/** Throws UsageError unless the path is a list with pages. */
export function checkPaged(method: string, path: string): void {
  const [route = ''] = path.split('?');
  if (method === 'GET' && PAGED.test(route)) return;
  throw new UsageError(`--paginate: ${method} ${route} has no pages`, 'only audit logs have pages');
}

/** The most that all audit logs of a service have. */
const MOST_ENTRIES = 1_000_000;

type Page = Readonly<Record<string, unknown>>;

/** Reads every page with `read` and puts their lists together. */
export async function readPages(
  path: string,
  read: (path: string) => Promise<unknown>,
): Promise<Page> {
  const [route = '', query = ''] = path.split('?');
  const search = new URLSearchParams(query);
  const all: unknown[] = [];
  for (;;) {
    const page = (await read(`${route}?${search}`)) as Page;
    const [name = '', list] = Object.entries(page).find(([, value]) => Array.isArray(value)) ?? [];
    const entries = Array.isArray(list) ? list : [];
    for (const entry of entries) all.push(entry);
    if (all.length > MOST_ENTRIES) {
      throw new CliError(`The pages of ${route} have more than ${MOST_ENTRIES} entries.`);
    }
    const last: unknown = entries.at(-1)?.id;
    if (last === undefined || String(last) === search.get('before')) return { [name]: all };
    search.set('before', String(last));
  }
}
