import { z } from 'zod';
import { flag, queryFlag, text } from './primitives.js';

/*
 * A file's bytes: `GET C/files?path=` answers them, `PUT C/files?path=` takes them, of any size and
 * type. Neither is JSON, so they are not operations. PUT answers {@link FileWritten} and writes
 * atomically. GET returns mode and time in `x-file-mode` and `last-modified`.
 */

const noNul = (value: string) => !value.includes('\0');

/** Relative to the home directory, as is what follows `~/`. */
export const GuestPath = text(4096).min(1, 'must not be empty').refine(noNul, 'must have no NUL');

/** Permission bits as `chmod` takes them, for example `755`. */
const Mode = z
  .string({ error: 'must be permissions in octal, for example "644"' })
  .regex(/^[0-7]{1,4}$/, 'must be permissions in octal, for example "644"')
  .transform((mode) => Number.parseInt(mode, 8));

export const ReadFileQuery = z.object({ path: GuestPath });
export const WriteFileQuery = z.object({ path: GuestPath, mode: Mode.optional() });

export const FileWritten = z.object({
  success: z.literal(true),
  /** Absolute, links resolved. */
  path: z.string(),
  /** Bytes. */
  size: z.number().int(),
});

export const FileEntry = z.object({
  name: z.string(),
  type: z.enum(['file', 'directory', 'link', 'other']),
  size: z.number(),
  /** Permissions in octal, four digits. */
  mode: z.string(),
  mtime: z.iso.datetime(),
  /** A link's target. */
  target: z.string().optional(),
});

export const PathQuery = z.object({ path: GuestPath });
export const FileStatus = FileEntry.extend({ path: z.string() });
export const Directory = z.object({ path: z.string(), entries: z.array(FileEntry) });

export const MakeDirectory = z.object({
  path: GuestPath,
  mode: Mode.optional(),
  /** Also creates the parents that are missing. */
  recursive: flag().default(false),
});
export const DirectoryMade = z.object({
  success: z.literal(true),
  path: z.string(),
  /** False if it existed. */
  created: z.boolean(),
});

export const MakeLink = z.object({ path: GuestPath, target: GuestPath });
export const LinkMade = z.object({ success: z.literal(true), path: z.string() });

export const RemoveEntry = z.object({
  path: GuestPath,
  /** Also removes a directory that is not empty. */
  recursive: queryFlag('0'),
});

/** The file, directory or link `path` becomes `new_path`; a file that is there is replaced. */
export const RenameEntry = z.object({ path: GuestPath, new_path: GuestPath });
export const EntryRenamed = z.object({ success: z.literal(true), path: z.string() });

export type FileEntry = z.infer<typeof FileEntry>;
export type FileWritten = z.infer<typeof FileWritten>;
