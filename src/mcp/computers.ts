import { ApiError } from '../contract/errors.js';
import type { Answer } from '../contract/types/index.js';
import type { Service } from './service.js';

/** Computers per page of the list, and pages that are read to find one by its name. */
const PAGE = 200;
const MOST_PAGES = 10;

export type Computer = Answer<'getComputer'>;

/** The computers of the key, or of one project; with `label` those that have it. */
export async function listComputers(
  service: Service,
  {
    project,
    label,
  }: { readonly project?: string | undefined; readonly label?: string | undefined },
  signal?: AbortSignal,
): Promise<Computer[]> {
  const filter = label === undefined ? {} : { label: [label] };
  if (project !== undefined) {
    const options = { params: { project }, query: filter, ...withSignal(signal) };
    return (await service.request('listComputers', options)).computers;
  }
  const found: Computer[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const query = { ...filter, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) } as const;
    const answer = await service.request('listAllComputers', { query, ...withSignal(signal) });
    found.push(...answer.computers);
    if (!answer.next_cursor) break;
    cursor = answer.next_cursor;
  }
  return found;
}

/** The computer that a model has named: by id, `PROJECT/NAME`, or a name that is unique. */
export async function findComputer(
  service: Service,
  given: string,
  signal?: AbortSignal,
): Promise<Computer> {
  const slash = given.indexOf('/');
  if (/^cmp_[0-9a-z]{20}$/.test(given)) {
    return service.request('getComputer', { params: { id: given }, ...withSignal(signal) });
  }
  if (slash > 0 && slash < given.length - 1) {
    const params = { project: given.slice(0, slash), computer: given.slice(slash + 1) };
    return service.request('getComputer', { params, ...withSignal(signal) });
  }
  const all = await listComputers(service, {}, signal);
  const named = all.filter(({ name }) => name === given);
  const [only] = named;
  if (only !== undefined && named.length === 1) return only;
  const known = (named.length > 0 ? named : all).slice(0, 10).map(addressOf).join(', ');
  const problem = named.length > 0 ? 'Several computers are named' : 'There is no computer';
  throw new ApiError('not_found', `${problem} ${JSON.stringify(given)}.`, {
    remedy: known === '' ? 'Create one with the tool create_computer.' : `Name one of: ${known}`,
  });
}

export function addressOf({ project_name, name }: Computer): string {
  return `${project_name}/${name}`;
}

function withSignal(signal: AbortSignal | undefined) {
  return signal === undefined ? {} : { signal };
}
