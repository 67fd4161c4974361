import type { FileEntry } from '../../contract/files.js';
import type { Entry } from '../../shell/files/types.js';
import type { Handlers } from './handlers.js';

type Names =
  | 'getEntry'
  | 'listDirectory'
  | 'makeDirectory'
  | 'makeLink'
  | 'removeEntry'
  | 'renameEntry';

export const fileHandlers: Pick<Handlers, Names> = {
  getEntry: ({ fleet, computer, query, signal }) =>
    fleet.actions.ask(
      computer,
      async (shell, s) => {
        const { path, ...entry } = await shell.files.entry(query.path, s);
        return { path, ...view(entry) };
      },
      signal,
    ),
  listDirectory: ({ fleet, computer, query, signal }) =>
    fleet.actions.ask(
      computer,
      async (shell, s) => {
        const { path, entries } = await shell.files.list(query.path, s);
        return { path, entries: entries.map(view) };
      },
      signal,
    ),
  makeDirectory: ({ fleet, computer, body, signal }) =>
    fleet.actions.ask(
      computer,
      async (shell, s) => ({
        success: true as const,
        ...(await shell.files.makeDirectory(body.path, { ...body, signal: s })),
      }),
      signal,
    ),
  removeEntry: async ({ fleet, computer, query, signal }) => {
    // A large directory takes longer than `ask` allows; each request to the guest has a deadline.
    await fleet.actions.shell(
      computer,
      (shell) => shell.files.remove(query.path, { recursive: query.recursive, signal }),
      signal,
    );
    return { success: true };
  },
  renameEntry: ({ fleet, computer, body, signal }) =>
    fleet.actions.ask(
      computer,
      async (shell, s) => ({
        success: true as const,
        ...(await shell.files.rename(body.path, body.new_path, s)),
      }),
      signal,
    ),
  makeLink: ({ fleet, computer, body, signal }) =>
    fleet.actions.ask(
      computer,
      async (shell, s) => ({
        success: true as const,
        ...(await shell.files.makeLink(body.path, body.target, s)),
      }),
      signal,
    ),
};

/** As the contract shows it. */
function view({ name, type, size, mode, mtime, target }: Entry): FileEntry {
  return {
    name,
    type,
    size,
    mode: octal(mode),
    mtime: new Date(mtime * 1000).toISOString(),
    ...(target === undefined ? {} : { target }),
  };
}

/** Permissions in octal, four digits. */
export function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
