/** The path of a name in a directory. */
export function join(directory: string, name: string): string {
  return directory.endsWith('/') ? directory + name : `${directory}/${name}`;
}

/** The directories of an absolute path from the root, each with its name. */
export function parents(path: string): { name: string; path: string }[] {
  const names = path.split('/').filter((name) => name !== '');
  const steps = names.map((name, at) => ({ name, path: `/${names.slice(0, at + 1).join('/')}` }));
  return [{ name: '/', path: '/' }, ...steps];
}

/** The folders of relative paths, without those that another is in. */
export function foldersOf(paths: readonly string[]): string[] {
  const folders = new Set(paths.map((path) => path.split('/').slice(0, -1).join('/')));
  folders.delete('');
  return [...folders].filter(
    (folder) => ![...folders].some((each) => each.startsWith(`${folder}/`)),
  );
}

/** What an upload would write into or replace: the first names of relative paths that are there. */
export function replacedBy(
  paths: readonly string[],
  entries: readonly { readonly name: string }[],
): string[] {
  const present = new Set(entries.map(({ name }) => name));
  const names = new Set(paths.map((path) => path.split('/')[0] ?? ''));
  return [...names].filter((name) => present.has(name));
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** A number of bytes for people. */
export function formatBytes(bytes: number): string {
  const unit = Math.min(
    UNITS.length - 1,
    Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(1024)),
  );
  const value = bytes / 1024 ** unit;
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}
