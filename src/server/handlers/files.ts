import type { FileEntry } from '../../contract/files.js';
import type { Entry } from '../../shell/files/types.js';
import type { Handlers } from '../handlers.js';
import { computerOf } from '../requests.js';

type Names = 'getEntry' | 'listDirectory' | 'makeDirectory' | 'makeLink';

export const fileHandlers: Pick<Handlers, Names> = {
  getEntry: ({ fleet, owner, params, query, signal }) =>
    fleet.control.ask(
      computerOf(fleet, owner, params),
      async (shell, s) => {
        const { path, ...entry } = await shell.files.entry(query.path, s);
        return { path, ...view(entry) };
      },
      signal,
    ),
  listDirectory: ({ fleet, owner, params, query, signal }) =>
    fleet.control.ask(
      computerOf(fleet, owner, params),
      async (shell, s) => {
        const { path, entries } = await shell.files.list(query.path, s);
        return { path, entries: entries.map(view) };
      },
      signal,
    ),
  makeDirectory: ({ fleet, owner, params, body, signal }) =>
    fleet.control.ask(
      computerOf(fleet, owner, params),
      async (shell, s) => ({
        success: true as const,
        ...(await shell.files.makeDirectory(body.path, { mode: body.mode, signal: s })),
      }),
      signal,
    ),
  makeLink: ({ fleet, owner, params, body, signal }) =>
    fleet.control.ask(
      computerOf(fleet, owner, params),
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
