import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** The encodings that the build prepares, the smallest first, and the ending of their files. */
const ENCODINGS = { br: '.br', gzip: '.gz' } as const;
export type Encoding = keyof typeof ENCODINGS;

/** A file of the page in every encoding that there is of it. */
export interface PageFile {
  readonly type: string;
  readonly data: Buffer;
  readonly encoded: Partial<Record<Encoding, Buffer>>;
  /** Its name contains a hash of its content, so it never changes. */
  readonly immutable: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};
const HASHED = /-[\w-]{8,}\.\w+$/;

/**
 * The files of the page by their path in its directory, kept in memory: each answer that a client does
 * not read has the same bytes. Only these files are ever read, whatever the path. None if the page was
 * not built.
 */
export function readPageFiles(directory: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  if (!existsSync(directory)) return files;
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(join(directory, '/').length);
    const encoded: PageFile['encoded'] = Object.fromEntries(
      Object.entries(ENCODINGS)
        .filter(([, ending]) => existsSync(`${file}${ending}`))
        .map(([encoding, ending]) => [encoding, readFileSync(`${file}${ending}`)]),
    );
    files.set(path, { type, data: readFileSync(file), encoded, immutable: HASHED.test(path) });
  }
  return files;
}

/** The smallest form of a file that an Accept-Encoding header allows; undefined for the file itself. */
export function encodingFor(file: PageFile, accept: string | undefined): Encoding | undefined {
  const accepted = new Map(
    (accept ?? '').split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase());
      return [name, !parameters.some((one) => /^q=0(\.0*)?$/.test(one))] as const;
    }),
  );
  return (Object.keys(ENCODINGS) as Encoding[]).find(
    (name) => accepted.get(name) === true && file.encoded[name] !== undefined,
  );
}
