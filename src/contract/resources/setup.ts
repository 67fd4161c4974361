import { z } from 'zod';
import { noNul } from '../environment.js';
import { exactlyOne, text } from '../primitives.js';

/** Bytes of all files that a computer is created with. */
export const MAX_FILE_BYTES = 1024 * 1024;
const MAX_FILES = 256;
/** Characters of a setup script. */
const MAX_SETUP = 262_144;

const TOO_LARGE = 'must have at most 1 MiB of content in all';

const FilePath = text(4096)
  .min(1, 'must not be empty')
  .refine(noNul, 'must have no NUL')
  .refine((path) => !/(^|\/)\.\.(\/|$)/.test(path), 'must not contain ".."')
  .refine((path) => !/(^|\/)\.?$|^~$/.test(path), 'must name a file, not a directory')
  .meta({
    description:
      'Absolute, or relative to the home directory. Directories that are missing are created.',
    examples: ['/etc/app.json'],
  });

/** A longer text is refused before it is examined. */
const MAX_BASE64 = Math.ceil(MAX_FILE_BYTES / 3) * 4;

const NewFile = z
  .object({
    path: FilePath,
    content: z
      .string({ error: 'must be a string' })
      .max(MAX_FILE_BYTES, { error: TOO_LARGE, abort: true })
      .refine((content) => content.isWellFormed(), 'must be well-formed Unicode')
      .optional()
      .meta({ description: 'A text.', examples: ['{"debug": true}\n'] }),
    content_base64: z
      .string({ error: 'must be a string' })
      .max(MAX_BASE64, { error: TOO_LARGE, abort: true })
      .refine(isBase64, 'must be base64')
      .optional()
      .meta({ description: 'Bytes in base64, in place of `content`.', examples: ['AAEC'] }),
    mode: z
      .string({ error: 'must be a text of octal digits such as "0644"' })
      .regex(/^[0-7]{3,4}$/, 'must be 3 or 4 octal digits such as "0644"')
      .default('0644')
      .meta({ description: 'Permissions in octal.', examples: ['0600'] }),
  })
  .refine((file) => (file.content === undefined) !== (file.content_base64 === undefined), {
    error: 'must have either "content" or "content_base64"',
  })
  .meta(exactlyOne('content', 'content_base64'));

export const NewFiles = z
  .array(NewFile, { error: 'must be a list of files' })
  .max(MAX_FILES, { error: `must have at most ${MAX_FILES} files`, abort: true })
  .refine((files) => new Set(files.map(({ path }) => samePath(path))).size === files.length, {
    error: 'must not have a path twice',
  })
  .refine((files) => files.reduce((sum, file) => sum + bytesOf(file), 0) <= MAX_FILE_BYTES, {
    error: TOO_LARGE,
  })
  .meta({
    description:
      "Files that are written when the computer is created, before `setup`: at most 1 MiB in all. They belong to the computer's user, also those that sudo is needed for.",
  });

export const Setup = text(MAX_SETUP)
  .min(1, 'must not be empty')
  .refine(noNul, 'must have no NUL')
  .meta({
    description:
      'A bash script that runs once as `user`, after `files` are written and before the computer is ready, for at most 30 minutes. Its output is the job `setup`. If it fails, the status is `error`; the next start does not run it again.',
    examples: ['sudo apt-get update && sudo apt-get install -y gimp'],
  });

export const Timezone = z
  .string({ error: 'must be a string' })
  .max(64, 'must be at most 64 characters')
  .refine(isTimezone, 'must be the name of a time zone, such as "Europe/Berlin" or "UTC"')
  .meta({ description: 'Name of a time zone (IANA).', examples: ['Europe/Berlin'] });

export const Locale = z
  .string({ error: 'must be a string' })
  .regex(
    /^(C|[a-z]{2,3}_[A-Z]{2})\.UTF-8(@[a-z]{1,20})?$/,
    'must be a locale with UTF-8, such as "de_DE.UTF-8"',
  )
  .meta({
    description: 'Language and formats, the value of `LANG`. Made at the first start.',
    examples: ['de_DE.UTF-8'],
  });

export const Sudo = z.boolean({ error: 'must be true or false' }).meta({
  description:
    'False: the user of the computer cannot become root. By default as the service allows.',
  examples: [false],
});

export type NewFile = z.infer<typeof NewFile>;

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function bytesOf({ content, content_base64: base64 }: NewFile): number {
  if (base64 === undefined) return new TextEncoder().encode(content).length;
  return (base64.length / 4) * 3 - (base64.length - base64.replace(/=+$/, '').length);
}

/** The path in one of the ways to write it. */
function samePath(path: string): string {
  return path
    .replace(/^~\//, '')
    .replaceAll(/\/(\.?\/)+/g, '/')
    .replace(/^(\.\/)+/, '');
}

function isTimezone(zone: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(zone)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
  } catch {
    return false;
  }
  // It takes names in any case, and the computer does not.
  const other = Intl.supportedValuesOf('timeZone').find(
    (known) => known.toLowerCase() === zone.toLowerCase(),
  );
  return other === undefined || other === zone;
}
