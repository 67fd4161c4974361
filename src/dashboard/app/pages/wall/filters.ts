import { useLocation } from 'preact-iso';
import type { Computer } from '../../api/types.js';

/** What the wall shows; kept in the address, so that it can be linked and survives a reload. */
export interface Filters {
  readonly text?: string;
  readonly project?: string;
  readonly status?: string;
  readonly engine?: string;
  /** A member of a cluster. */
  readonly member?: string;
  readonly view?: 'table';
}

const NAMES = ['text', 'project', 'status', 'engine', 'member', 'view'] as const;

export function readFilters(query: Readonly<Record<string, string>>): Filters {
  const given = NAMES.filter((name) => query[name]).map((name) => [name, query[name]]);
  const filters = Object.fromEntries(given) as Filters;
  return { ...filters, view: filters.view === 'table' ? 'table' : undefined };
}

export function filterQuery(filters: Filters): string {
  const given = NAMES.flatMap((name) => (filters[name] ? [[name, filters[name]] as const] : []));
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([a, b]) => [a, b]))}`;
}

const LABEL = 'label:';
/** The beginning of an id: parts of one are in too many. */
const ID = /^cmp_/;

/** What to type to find computers with a label. */
export function labelFilter([name, value]: readonly [string, string]): string {
  return `${LABEL}${name}=${value}`;
}

/**
 * Whether a computer is shown. Words match its name, project, image and creator, and the
 * beginning of its id; `label:NAME=VALUE`
 * and `label:NAME` its labels.
 */
export function matches(computer: Computer, filters: Filters): boolean {
  const { name, project_name, id, image, status, engine, member, created_by } = computer;
  const text = `${name} ${project_name} ${image} ${created_by?.name ?? ''}`.toLowerCase();
  const words = (filters.text ?? '').split(/\s+/);
  return (
    words.every((word) =>
      word.startsWith(LABEL)
        ? hasLabel(computer, word.slice(LABEL.length))
        : text.includes(word.toLowerCase()) || (ID.test(word) && id.startsWith(word)),
    ) &&
    (filters.project === undefined || filters.project === project_name) &&
    (filters.status === undefined || filters.status === status) &&
    (filters.engine === undefined || filters.engine === engine) &&
    (filters.member === undefined || filters.member === member)
  );
}

function hasLabel({ labels }: Computer, wanted: string): boolean {
  return Object.entries(labels).some(
    ([name, value]) => name === wanted || `${name}=${value}` === wanted,
  );
}

export function useFilters(): [Filters, (filters: Filters) => void] {
  const { query, path, route } = useLocation();
  return [readFilters(query), (filters) => route(`${path}${filterQuery(filters)}`, true)];
}
