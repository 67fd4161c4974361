import { ApiError } from '../../contract/errors.js';
import { type Secret, SecretName } from '../../contract/resources/secrets.js';
import { shellWord } from '../../lib/text/shell-word.js';
import type { Owner } from '../accounts/api-keys.js';
import type { Projects } from '../computers/projects.js';
import { missing } from '../errors/missing.js';
import type { ListedSecret } from '../store/accounts/secrets.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord } from '../store/records.js';

/** Secrets that a project may have. */
const MOST = 100;
/** Secrets that an owner may have in all projects, and the bytes of their encrypted values. */
const MOST_OF_OWNER = 1_000;
const MOST_BYTES = 4 * 2 ** 20;
/** Characters of a text to type, as in its schema. */
const MOST_TEXT = 100_000;

type Project = Pick<ComputerRecord, 'project_id' | 'project_name'>;

const PLACEHOLDER = /\{\{secret:([^{}]*)\}\}/g;

/** A text to type, and the names of the secrets that it may contain. */
export interface TextToType {
  readonly text: string;
  readonly secrets?: readonly string[] | undefined;
}

/** A text with the values of its secrets, and the names of these. */
export interface FilledText {
  readonly text: string;
  readonly used: readonly string[];
}

/** Replaces the placeholders of secrets in a text by their values, where `allowed` names them. */
export type Fill = (text: string, allowed?: readonly string[]) => FilledText;

/**
 * Secrets of projects: values that can be typed, and are never shown. Values leave this class only
 * through {@link filler}, for the keyboard.
 */
export class Secrets {
  readonly #store: Store;
  readonly #projects: Projects;

  constructor(store: Store, projects: Projects) {
    this.#store = store;
    this.#projects = projects;
  }

  list(owner: Owner, project: string): Secret[] {
    const { id } = this.#projects.find(owner, project);
    return this.#store.secrets.list(id).map(serialize);
  }

  /** Creates the secret, or replaces its value. */
  set(owner: Owner, project: string, name: string, value: string): Secret {
    const { error } = SecretName.safeParse(name);
    if (error) {
      throw new ApiError('invalid_request', `The name of a secret ${error.issues[0]?.message}.`);
    }
    const record = this.#store.transaction(() => {
      const { id } = this.#projects.find(owner, project);
      const { secrets } = this.#store;
      const before = secrets.usageOf(owner.id);
      if (secrets.find(id, name) === undefined) {
        if (secrets.count(id) >= MOST) throw tooMany(`The project has ${MOST}`, 'NAME');
        if (before.count >= MOST_OF_OWNER) throw tooMany(`You have ${MOST_OF_OWNER}`, OF_ANY);
      }
      secrets.set(id, name, value);
      const { bytes } = secrets.usageOf(owner.id);
      if (bytes > MOST_BYTES && bytes > before.bytes) throw tooLarge();
      return secrets.find(id, name);
    });
    if (record === undefined) throw new Error('the secret was not written');
    return serialize(record);
  }

  remove(owner: Owner, project: string, name: string): void {
    const { id, name: shown } = this.#projects.find(owner, project);
    if (this.#store.secrets.remove(id, name)) return;
    const known = this.#store.secrets.list(id).map((record) => record.name);
    throw missing('secret', name, { known, list: `vc secret ls -p ${shellWord(shown)}` });
  }

  /**
   * A function that replaces `{{secret:NAME}}` by the values of secrets of the computer's project,
   * each of which is read once. It throws ApiError `invalid_request` for a secret that does not
   * exist, or is not in `allowed`.
   */
  filler({ project_id, project_name }: Project): Fill {
    const values = new Map<string, string>();
    return (text, allowed = []) => {
      const names = new Set(allowed);
      const used = new Set<string>();
      let added = 0;
      const filled = text.replaceAll(PLACEHOLDER, (placeholder, name: string) => {
        if (!names.has(name)) throw notAllowed(name);
        const value = values.get(name) ?? this.#valueOf({ project_id, project_name }, name);
        values.set(name, value);
        used.add(name);
        added += value.length - placeholder.length;
        if (text.length + added > MOST_TEXT) throw tooLong();
        return value;
      });
      return { text: filled, used: [...used] };
    };
  }

  /** Names of the secrets of the computer's project that typing these texts uses. */
  usedBy({ project_id }: Pick<Project, 'project_id'>, texts: readonly TextToType[]): string[] {
    const used = texts.flatMap(({ text, secrets = [] }) =>
      // Most requests that type allow none.
      secrets.length === 0
        ? []
        : [...text.matchAll(PLACEHOLDER)].flatMap(([, name = '']) =>
            secrets.includes(name) ? [name] : [],
          ),
    );
    return [...new Set(used)].filter((name) => this.#store.secrets.find(project_id, name));
  }

  #valueOf({ project_id, project_name }: Project, name: string): string {
    const record = this.#store.secrets.find(project_id, name);
    if (record === undefined) throw unknown(name, project_name);
    const value = this.#store.secrets.open(record);
    if (value === undefined) throw unreadable(name);
    return value;
  }
}

/** A secret in a command, which may be one of another project. */
const OF_ANY = 'NAME -p PROJECT';

function tooMany(what: string, secret: string): ApiError {
  return new ApiError('limit_reached', `${what} secrets, which is the limit.`, {
    remedy: `Remove one first: vc secret rm ${secret}`,
  });
}

function tooLarge(): ApiError {
  const mib = MOST_BYTES / 2 ** 20;
  const message = `Your secrets would take more than ${mib} MiB encrypted, which is the limit.`;
  return new ApiError('limit_reached', message, {
    remedy: `Remove one first (vc secret rm ${OF_ANY}), or set a shorter value.`,
  });
}

function serialize({ name, created_at, updated_at }: ListedSecret): Secret {
  return { name, created_at, updated_at };
}

/** A name in an error: what is none may be anything, for example the secret itself. */
function shown(name: string): string {
  return SecretName.safeParse(name).success ? JSON.stringify(name) : 'of that name';
}

function notAllowed(name: string): ApiError {
  const message = `The secret ${shown(name)} is not allowed in this request, so nothing was typed.`;
  const remedy = `Name it in the list "secrets" of the request; with vc: --secret ${SecretName.safeParse(name).success ? name : 'NAME'}`;
  return new ApiError('invalid_request', message, { remedy });
}

function unknown(name: string, project: string): ApiError {
  const message = `There is no secret ${shown(name)} in the project ${JSON.stringify(project)}, so nothing was typed.`;
  const remedy = `Set it: vc secret set ${name} -p ${shellWord(project)}`;
  return new ApiError('invalid_request', message, { remedy });
}

function unreadable(name: string): ApiError {
  const message = `The secret ${shown(name)} cannot be read: the key that encrypted it is gone.`;
  return new ApiError('conflict', message, { remedy: `Set it again: vc secret set ${name}` });
}

function tooLong(): ApiError {
  const message = `The text with its secrets must be at most ${MOST_TEXT} characters.`;
  return new ApiError('invalid_request', message);
}
