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
  /** How the computers are ordered among those in the same state. */
  readonly sort?: string;
  /** The name of a label, `project` or `member`. */
  readonly group?: string;
  readonly size?: string;
}

const NAMES = [
  ...(['text', 'project', 'status', 'engine', 'member'] as const),
  ...(['view', 'sort', 'group', 'size'] as const),
] as const;

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

/** What is shown first: what runs, then what has failed. */
const FIRST = ['running', 'starting', 'stopping', 'deleting', 'error', 'stopped'];

const SORTS: Readonly<Record<string, (one: Computer, other: Computer) => number>> = {
  name: (one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }),
  newest: (one, other) => Date.parse(other.created_at) - Date.parse(one.created_at),
};

/** The computers with those that run first; without a choice the oldest first. */
export function ordered<Each extends Computer>(
  computers: readonly Each[],
  { sort = '' }: Pick<Filters, 'sort'>,
): Each[] {
  const by = SORTS[sort] ?? (() => 0);
  const rank = ({ status }: Computer) => FIRST.indexOf(status);
  return [...computers].sort((one, other) => rank(one) - rank(other) || by(one, other));
}

/** The computers by their project, member, or value of a label; those without one are last. */
export function grouped<Each extends Computer>(
  computers: readonly Each[],
  group: string | undefined,
): [name: string, computers: Each[]][] {
  if (group === undefined) return [['', [...computers]]];
  const groups = new Map<string, Each[]>();
  for (const computer of computers) {
    const name = groupOf(computer, group);
    groups.set(name, [...(groups.get(name) ?? []), computer]);
  }
  return [...groups].sort(([one], [other]) =>
    one === '' ? 1 : other === '' ? -1 : one.localeCompare(other, 'en', { numeric: true }),
  );
}

function groupOf({ project_name, member, labels }: Computer, group: string): string {
  if (group === 'project') return project_name;
  if (group === 'member') return member ?? '';
  return labels[group.slice(LABEL.length)] ?? '';
}

/** What the computers can be grouped by. */
export function groupsOf(computers: readonly Computer[]): string[] {
  const labels = new Set(computers.flatMap((each) => Object.keys(each.labels)));
  const hasMembers = computers.some(({ member }) => member !== null);
  const names = [...labels].sort().map((name) => `${LABEL}${name}`);
  return ['project', ...(hasMembers ? ['member'] : []), ...names];
}

export function useFilters(): [Filters, (filters: Filters) => void] {
  const { query, path, route } = useLocation();
  return [readFilters(query), (filters) => route(`${path}${filterQuery(filters)}`, true)];
}
