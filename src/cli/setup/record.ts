import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { SetupStep } from '../../engines/descriptor.js';
import { writeFileAtomically } from '../../lib/fs/atomic-file.js';
import { makeDirectory } from '../../lib/fs/directory.js';
import { readWithOwner } from '../../lib/fs/read-bounded.js';
import { CliError } from '../errors/cli-error.js';

/** What a user got; a command for root is made of it, so nothing else is accepted. */
const Grant = z.strictObject({
  engine: z.string(),
  user: z.string().regex(/^[a-z_][a-z0-9_.-]*\$?$/i),
  group: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,30}$/)
    .optional(),
  ids: z
    .string()
    .regex(/^\d{1,10}-\d{1,10}$/)
    .optional(),
});

/** A right that the set-up gave a user who did not have it. */
export type Grant = z.infer<typeof Grant>;

const MOST_BYTES = 1 << 20;
const fileIn = (directory: string) => join(directory, 'setup.json');

/** What `vc setup` with this state directory gave users. A file of another user is not read. */
export async function readGrants(directory: string): Promise<Grant[]> {
  const path = fileIn(directory);
  try {
    const { data, uid } = await readWithOwner(path, MOST_BYTES);
    if (uid !== process.getuid?.()) throw new Error('it belongs to another user');
    return z.array(Grant).parse(JSON.parse(data.toString()));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return [];
    throw new CliError(`cannot read ${path}`, { remedy: 'look at it, and remove it', cause });
  }
}

export async function writeGrants(directory: string, grants: readonly Grant[]): Promise<void> {
  if (grants.length === 0) return rm(fileIn(directory), { force: true });
  makeDirectory(directory);
  await writeFileAtomically(fileIn(directory), Buffer.from(`${JSON.stringify(grants)}\n`), {
    mode: 0o600,
  });
}

/** The grant that a step has made; undefined for one that made something else. */
export function grantOf(
  { group, ids }: SetupStep,
  engine: string,
  user: string | undefined,
): Grant | undefined {
  if (user === undefined || (group === undefined && ids === undefined)) return undefined;
  return Grant.parse({ engine, user, group, ids });
}

/** Takes back a grant. */
export function undoGrant({ user, group, ids = '' }: Grant): SetupStep {
  if (group !== undefined) {
    const title = `Removing ${user} from the group ${group}`;
    return { title, argv: ['gpasswd', '--delete', user, group] };
  }
  return {
    title: `Removing the subordinate ids ${ids} of ${user}`,
    argv: ['usermod', '--del-subuids', ids, '--del-subgids', ids, user],
  };
}
