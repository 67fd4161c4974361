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

/** Whether a computer is shown. Words match its name, project, id, image and creator. */
export function matches(computer: Computer, filters: Filters): boolean {
  const { name, project_name, id, image, status, engine, member, created_by } = computer;
  const text = `${name} ${project_name} ${id} ${image} ${created_by?.name ?? ''}`.toLowerCase();
  const words = (filters.text ?? '').toLowerCase().split(/\s+/);
  return (
    words.every((word) => text.includes(word)) &&
    (filters.project === undefined || filters.project === project_name) &&
    (filters.status === undefined || filters.status === status) &&
    (filters.engine === undefined || filters.engine === engine) &&
    (filters.member === undefined || filters.member === member)
  );
}

export function useFilters(): [Filters, (filters: Filters) => void] {
  const { query, path, route } = useLocation();
  return [readFilters(query), (filters) => route(`${path}${filterQuery(filters)}`, true)];
}
