import { ApiError } from '../../contract/errors.js';
import type { NewFile } from '../../contract/resources/setup.js';
import type { Db } from './database.js';
import type { ComputerRecord, SetupRecord } from './records.js';
import type { SecretBox } from './secret-box.js';

export interface Setup {
  readonly files: readonly NewFile[];
  readonly script: string | undefined;
}

/** Environment variables of computers, and what is done once in new ones. All of it is encrypted. */
export function setupStore(db: Db, secretBox: SecretBox) {
  const insert = db.prepare(
    "INSERT INTO setups (computer_id, files, script, next) VALUES (?, ?, ?, 'files')",
  );
  const find = db.prepare("SELECT * FROM setups WHERE computer_id = ? AND next <> 'nothing'");
  const setNext = db.prepare('UPDATE setups SET next = ? WHERE computer_id = ?');
  const open = (sealed: string, context: string) => {
    const text = secretBox.open(sealed, context);
    if (text !== undefined) return text;
    const message = 'The key that encrypted what the computer was created with is gone.';
    throw new ApiError('conflict', message, { remedy: 'Restore the state from a backup.' });
  };

  return {
    /** Variables for a row of the owner's computers; null for none. */
    sealEnv: (ownerId: string, env: Readonly<Record<string, string>>) =>
      Object.keys(env).length === 0 ? null : secretBox.seal(JSON.stringify(env), ofOwner(ownerId)),
    env: ({ owner_id, env }: Pick<ComputerRecord, 'owner_id' | 'env'>): Record<string, string> =>
      env === null ? {} : JSON.parse(open(env, ofOwner(owner_id))),
    /** For its owner to see; empty if the variables cannot be read. */
    envNames: ({ owner_id, env }: Pick<ComputerRecord, 'owner_id' | 'env'>): string[] =>
      env === null ? [] : Object.keys(JSON.parse(secretBox.open(env, ofOwner(owner_id)) ?? '{}')),
    insert(id: string, { files, script }: Setup): void {
      const sealed = script === undefined ? null : secretBox.seal(script, ofScript(id));
      insert.run(id, secretBox.seal(JSON.stringify(files), ofFiles(id)), sealed);
    },
    /** What is to be done in the computer; undefined if nothing is. */
    find(id: string): (Setup & Pick<SetupRecord, 'next'>) | undefined {
      const row = find.get(id) as SetupRecord | undefined;
      if (row === undefined) return undefined;
      const files = row.next === 'files' ? JSON.parse(open(row.files, ofFiles(id))) : [];
      const script = row.script === null ? undefined : open(row.script, ofScript(id));
      return { files, script, next: row.next };
    },
    setNext: (id: string, next: SetupRecord['next']) => void setNext.run(next, id),
  };
}

/** A copy of a computer has the same owner. */
function ofOwner(ownerId: string): string {
  return `env ${ownerId}`;
}

function ofFiles(id: string): string {
  return `files ${id}`;
}

function ofScript(id: string): string {
  return `setup ${id}`;
}
