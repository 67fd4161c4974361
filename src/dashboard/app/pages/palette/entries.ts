import type { Rights, WallComputer } from '../../api/types.js';
import type { Power } from '../../state/power.js';

/** What can be chosen: an address to go to, or something to do. */
export interface Entry {
  readonly text: string;
  readonly hint: string;
  readonly href?: string;
  readonly power?: { readonly power: Power; readonly computer: WallComputer };
}

interface Known {
  readonly pages: readonly { readonly path: string; readonly name: string }[];
  readonly computers: readonly WallComputer[];
  readonly may: (rights: Rights) => boolean;
}

const TABS: readonly { name: string; path: string; needs?: Rights }[] = [
  { name: 'Files', path: '/files', needs: 'act' },
  { name: 'Trajectory', path: '/trajectory' },
  { name: 'Snapshots', path: '/snapshots' },
  { name: 'Settings', path: '/settings' },
  { name: 'Terminal', path: '/terminal', needs: 'act' },
  { name: 'Activity', path: '/activity' },
];

/** Everything that the palette offers to a key with these rights. */
export function entriesOf({ pages, computers, may }: Known): Entry[] {
  return [
    ...pages.map(({ path, name }) => ({ text: name, hint: 'page', href: path })),
    ...(may('manage')
      ? [{ text: 'New computer', hint: 'create', href: '/computers?create=1' }]
      : []),
    ...computers.flatMap((computer) => ofComputer(computer, may)),
    { text: 'HTTP reference', hint: 'page', href: '/api/docs' },
  ];
}

function ofComputer(computer: WallComputer, may: Known['may']): Entry[] {
  const { id, name, project_name, status } = computer;
  const text = `${project_name}/${name}`;
  const power = status === 'running' ? 'stop' : 'start';
  const isSteady = ['running', 'stopped', 'error'].includes(status);
  return [
    { text, hint: status, href: `/computers/${id}` },
    ...TABS.filter(({ needs }) => needs === undefined || may(needs)).map((tab) => ({
      text: `${text}: ${tab.name}`,
      hint: 'open',
      href: `/computers/${id}${tab.path}`,
    })),
    ...(may('act') && isSteady
      ? [
          {
            text: `${text}: ${power === 'stop' ? 'Stop' : 'Start'}`,
            hint: 'do',
            power: { power, computer } as const,
          },
        ]
      : []),
  ];
}

/** Entries that are shown. */
const MOST = 12;

/** The entries that contain every word, those that begin with the text first, then the short ones. */
export function found(entries: readonly Entry[], typed: string): Entry[] {
  const text = typed.trim().toLowerCase();
  const words = text.split(/\s+/);
  const rank = (entry: Entry) => (entry.text.toLowerCase().startsWith(text) ? 0 : 1);
  return entries
    .filter((entry) => words.every((word) => entry.text.toLowerCase().includes(word)))
    .sort((one, other) => rank(one) - rank(other) || one.text.length - other.text.length)
    .slice(0, MOST);
}
