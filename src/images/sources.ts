import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The release that the recipes are written for. */
export const SUITE = 'bookworm';

/** Default package sources. */
const DEFAULT_SOURCES = [
  `deb http://deb.debian.org/debian ${SUITE} main`,
  `deb http://deb.debian.org/debian ${SUITE}-updates main`,
  `deb http://deb.debian.org/debian-security ${SUITE}-security main`,
];

const SUITES = [SUITE, `${SUITE}-updates`, `${SUITE}-security`];

/**
 * Package sources for an image, as lines of a `sources.list`. A host that runs the same Debian
 * release provides its own mirrors; other hosts get Debian's.
 */
export async function packageSources(apt = '/etc/apt'): Promise<string[]> {
  const lines = [...new Set(await hostSources(apt))];
  return lines.some((line) => line.endsWith(` ${SUITE} main`)) ? lines : DEFAULT_SOURCES;
}

async function hostSources(apt: string): Promise<string[]> {
  const parts = await readdir(join(apt, 'sources.list.d')).catch(() => []);
  const files = ['sources.list', ...parts.sort().map((name) => join('sources.list.d', name))];
  const lines: string[] = [];
  for (const file of files) {
    const text = await readFile(join(apt, file), 'utf8').catch(() => '');
    lines.push(...(file.endsWith('.sources') ? parseStanzas(text) : parseLines(text)));
  }
  return lines;
}

/** One source a line, sources.list(5): `deb [options] uri suite component...`. */
function parseLines(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const words = line
      .replace(/#.*/, '')
      .replace(/\[.*?\]/, '')
      .trim()
      .split(/\s+/);
    const [type, uri, suite, ...components] = words;
    return type === 'deb' && uri && suite ? debian([uri], [suite], components) : [];
  });
}

/** Stanzas of fields, the deb822 format of sources.list(5). */
function parseStanzas(text: string): string[] {
  const clean = text.replace(/^#.*\n?/gm, '');
  return clean.split(/\n\s*\n/).flatMap((stanza) => {
    const field = (name: string) =>
      new RegExp(`^${name}:(.*(?:\\n[ \\t].*)*)`, 'im').exec(stanza)?.[1]?.trim().split(/\s+/) ??
      [];
    const used = field('Types').includes('deb') && field('Enabled')[0] !== 'no';
    return used ? debian(field('URIs'), field('Suites'), field('Components')) : [];
  });
}

/** Only Debian's suites: other vendors use the same release names with other components. */
function debian(uris: string[], suites: string[], components: string[]): string[] {
  if (!components.includes('main')) {
    return [];
  }
  return uris.flatMap((uri) =>
    suites.filter((suite) => SUITES.includes(suite)).map((suite) => `deb ${uri} ${suite} main`),
  );
}
