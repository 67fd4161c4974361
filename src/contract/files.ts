import { z } from 'zod';
import { flag, queryFlag, Success, Timestamp, text } from './primitives.js';

/*
 * A file's bytes: `GET C/files?path=` answers them, `PUT C/files?path=` takes them, of any size and
 * type. Neither is JSON, so they are not operations. PUT answers {@link FileWritten} and writes
 * atomically. GET returns mode and time in `x-file-mode` and `last-modified`.
 */

const noNul = (value: string) => !value.includes('\0');

/** Relative to the home directory, as is what follows `~/`. */
export const GuestPath = text(4096)
  .min(1, 'must not be empty')
  .refine(noNul, 'must have no NUL')
  .meta({
    description:
      'Path in the computer: relative to the home directory unless it begins with `/`; `~/` is the home directory. No other character is special.',
    examples: ['Downloads/report.pdf'],
  });

/** Permission bits as `chmod` takes them, for example `755`. */
const Mode = z
  .string({ error: 'must be permissions in octal, for example "644"' })
  .regex(/^[0-7]{1,4}$/, 'must be permissions in octal, for example "644"')
  .transform((mode) => Number.parseInt(mode, 8))
  .meta({ description: 'Permissions in octal, as for `chmod`.', examples: ['644'] });

export const ReadFileQuery = z.object({ path: GuestPath });
export const WriteFileQuery = z.object({
  path: GuestPath,
  mode: Mode.optional().describe(
    'Permissions in octal. Without it those of the file that is replaced, or 644.',
  ),
});

const AbsolutePath = z
  .string()
  .meta({ description: 'The absolute path.', examples: ['/home/user/Downloads/report.pdf'] });

export const FileWritten = Success.extend({
  path: AbsolutePath.describe('The absolute path, links resolved.'),
  size: z
    .number()
    .int()
    .meta({ description: 'Bytes.', examples: [1024] }),
}).meta({ id: 'FileWritten', description: 'The file was written.' });

export const FileEntry = z
  .object({
    name: z.string().meta({ description: 'The last part of the path.', examples: ['report.pdf'] }),
    type: z
      .enum(['file', 'directory', 'link', 'other'])
      .describe('`link` is a symbolic link, `other` for example a socket.'),
    size: z.number().meta({ description: 'Bytes.', examples: [1024] }),
    mode: z
      .string()
      .meta({ description: 'Permissions in octal, four digits.', examples: ['0644'] }),
    mtime: Timestamp.describe('When the content was changed last.'),
    target: z
      .string()
      .optional()
      .meta({ description: 'What a symbolic link contains.', examples: ['../report.pdf'] }),
  })
  .meta({ id: 'FileEntry', description: 'An entry of a directory.' });

export const PathQuery = z.object({ path: GuestPath });
export const FileStatus = FileEntry.extend({ path: AbsolutePath }).meta({
  id: 'FileStatus',
  description: 'A file or directory. Of a symbolic link, its target.',
});
export const Directory = z
  .object({
    path: AbsolutePath.meta({ examples: ['/home/user/Downloads'] }),
    entries: z.array(FileEntry).describe('Sorted by name; hidden files included.'),
  })
  .meta({ id: 'Directory', description: 'A directory with its entries.' });

export const MakeDirectory = z
  .object({
    path: GuestPath,
    mode: Mode.optional(),
    recursive: flag().default(false).describe('Also creates missing parents.'),
  })
  .meta({ id: 'MakeDirectory', description: 'A directory to make.' });
export const DirectoryMade = Success.extend({
  path: AbsolutePath,
  created: z.boolean().describe('False if the directory existed.'),
}).meta({ id: 'DirectoryMade', description: 'The directory exists.' });

export const MakeLink = z
  .object({
    path: GuestPath.describe('Path of the link.'),
    target: GuestPath.meta({
      description: 'What the link contains. A relative target is relative to its directory.',
      examples: ['../report.pdf'],
    }),
  })
  .meta({ id: 'MakeLink', description: 'A symbolic link to make.' });
export const LinkMade = Success.extend({ path: AbsolutePath }).meta({
  id: 'LinkMade',
  description: 'The link was made.',
});

export const RemoveEntry = z.object({
  path: GuestPath,
  recursive: queryFlag('0').describe('Also removes a directory that is not empty.'),
});

/** The file, directory or link `path` becomes `new_path`; a file that is there is replaced. */
export const RenameEntry = z
  .object({
    path: GuestPath,
    new_path: GuestPath.meta({
      description: 'The new path; a file that is there is replaced.',
      examples: ['Documents/report.pdf'],
    }),
  })
  .meta({ id: 'RenameEntry', description: 'A file, link or directory to rename or move.' });
export const EntryRenamed = Success.extend({ path: AbsolutePath }).meta({
  id: 'EntryRenamed',
  description: 'The entry has its new path.',
});

export type FileEntry = z.infer<typeof FileEntry>;
export type FileWritten = z.infer<typeof FileWritten>;
