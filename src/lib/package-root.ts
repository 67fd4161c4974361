import { existsSync, readFileSync } from 'node:fs';

const MANIFEST = 'package.json';

/**
 * The package's directory, with a trailing slash. Searched upwards, because this module runs as a
 * source or inside a chunk of the build.
 */
export const packageRoot: URL = findRoot(new URL('..', import.meta.url));

function findRoot(directory: URL): URL {
  if (existsSync(new URL(MANIFEST, directory))) return directory;
  const parent = new URL('..', directory);
  if (parent.href === directory.href) throw new Error(`no ${MANIFEST} above ${import.meta.url}`);
  return findRoot(parent);
}

/** The version in the package's manifest. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL(MANIFEST, packageRoot), 'utf8'));
  const { version } = manifest as { version?: unknown };
  return typeof version === 'string' ? version : '0.0.0';
}
