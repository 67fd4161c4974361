import { timingSafeEqual } from 'node:crypto';
import { includesRight } from '../../contract/access/rights.js';
import { DEFAULT_PORT } from '../../contract/constants.js';
import { ApiError } from '../../contract/errors.js';
import type {
  CreatedPublication,
  CreatePublication,
  Publication,
} from '../../contract/resources.js';
import type { ApiKeys, Owner } from '../accounts/api-keys.js';
import { OpenUses } from '../accounts/open-uses.js';
import { isWithin } from '../accounts/scope.js';
import { generateTicket, hashApiKey } from '../computers/ids.js';
import { refuseDeleted } from '../computers/settled.js';
import { missing } from '../errors/missing.js';
import { inCommands } from '../errors/remedies.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord, PublicationRecord } from '../store/records.js';
import { newLabel } from './label.js';

/** Publications of a computer. */
const MOST = 20;

/** Query parameter of a link, with its ticket. */
export const TICKET_PARAMETER = 'vc_ticket';

/** Where publications are reached. */
export interface Previews {
  /** Domain of their names, which a proxy serves over TLS; without it `localhost`. */
  readonly domain?: string | undefined;
  /** Port of the service, for names below `localhost`. */
  port?(): number;
}

/** Ports of computers with an address of their own. */
export class Publications {
  /** Host headers that those of publications are like; the first group is the label. */
  readonly hosts: RegExp;
  readonly #store: Store;
  readonly #apiKeys: ApiKeys;
  readonly #previews: Previews;
  readonly #visits = new OpenUses((label) => this.find(label) === undefined);

  constructor(store: Store, apiKeys: ApiKeys, previews: Previews = {}) {
    this.#store = store;
    this.#apiKeys = apiKeys;
    this.#previews = previews;
    const domains = ['localhost', ...(previews.domain === undefined ? [] : [previews.domain])];
    const known = domains.map((domain) => domain.replaceAll('.', '\\.')).join('|');
    this.hosts = new RegExp(`^(\\d{1,5}-[a-z0-9-]{1,61})\\.(?:${known})(?::\\d{1,5})?$`, 'i');
  }

  create(
    { keyId }: Pick<Owner, 'keyId'>,
    record: ComputerRecord,
    { port, public: isPublic, expires_in: seconds }: CreatePublication,
  ): CreatedPublication {
    const ticket = isPublic ? undefined : generateTicket();
    const label = newLabel(port, record.name);
    const now = Date.now();
    this.#store.transaction(() => {
      const present = refuseDeleted(this.#store.computers.findById(record.id));
      this.#refuse(present, port);
      this.#store.publications.insert({
        label,
        computer_id: present.id,
        port,
        key_id: keyId,
        ticket_hash: ticket === undefined ? null : hashApiKey(ticket),
        created_at: new Date(now).toISOString(),
        expires_at: seconds === undefined ? null : new Date(now + seconds * 1000).toISOString(),
      });
    });
    const created = this.find(label);
    if (created === undefined) throw new ApiError('unauthorized', 'The API key is wrong.');
    const publication = this.#serialize(created);
    const query = ticket === undefined ? '' : `?${TICKET_PARAMETER}=${ticket}`;
    return { ...publication, link: `${publication.url}${query}` };
  }

  /** Those of the computers that the key reaches. */
  list(owner: Owner): Publication[] {
    return this.#store.publications
      .ofOwner(owner.id)
      .filter((row) => isWithin(owner, row.project_id) && this.#isOpen(row))
      .map((row) => this.#serialize(row));
  }

  /** Ends a publication and its connections. */
  remove(record: ComputerRecord, port: string): void {
    const rows = this.#store.publications.ofComputer(record.id).filter((row) => this.#isOpen(row));
    const found = rows.find((row) => String(row.port) === port);
    if (found === undefined) {
      throw missing('published port', port, {
        known: rows.map((row) => String(row.port)),
        list: `vc publication ls ${inCommands(record)}`,
      });
    }
    const remove = () => this.#store.publications.remove(found.label);
    // Once more for the error.
    if (!this.#store.writeToFreeSpace(remove)) remove();
    this.#visits.end(found.label);
  }

  /** The publication with a label, unless it has ended. */
  find(label: string): PublicationRecord | undefined {
    const row = this.#store.publications.find(label);
    return row !== undefined && this.#isOpen(row) ? row : undefined;
  }

  /** Whether someone with these tickets may open the publication. */
  admits({ ticket_hash: hash }: PublicationRecord, tickets: readonly string[]): boolean {
    if (hash === null) return true;
    const wanted = Buffer.from(hash, 'hex');
    return tickets.some((ticket) =>
      timingSafeEqual(Buffer.from(hashApiKey(ticket), 'hex'), wanted),
    );
  }

  /** Calls `end` when the publication ends. Returns a function that removes the listener. */
  whileOpen({ label }: PublicationRecord, end: () => void): () => void {
    return this.#visits.add(label, end, 'sometime');
  }

  /** It ends with its key, and when that may no longer publish. */
  #isOpen({ expires_at, owner_id, key_id }: PublicationRecord): boolean {
    if (expires_at !== null && Date.parse(expires_at) <= Date.now()) return false;
    const rights = this.#apiKeys.rightsOf({ id: owner_id, keyId: key_id });
    return rights !== undefined && includesRight(rights, 'act');
  }

  /** Removes those that have ended. */
  #refuse(record: ComputerRecord, port: number): void {
    const rows = this.#store.publications.ofComputer(record.id);
    for (const row of rows) if (!this.#isOpen(row)) this.#store.publications.remove(row.label);
    const open = rows.filter((row) => this.#isOpen(row));
    const name = JSON.stringify(record.name);
    if (open.some((row) => row.port === port)) {
      const message = `Port ${port} of the computer ${name} is published already.`;
      throw new ApiError('name_taken', message, {
        remedy: `See: vc publication ls; for a new link or other options, end it first: vc unpublish ${inCommands(record)} ${port}`,
      });
    }
    if (open.length < MOST) return;
    const message = `The computer ${name} has ${MOST} published ports, which is the limit.`;
    throw new ApiError('limit_reached', message, {
      remedy: `End one first: vc unpublish ${inCommands(record)} PORT`,
    });
  }

  #serialize(row: PublicationRecord): Publication {
    const { port, computer_id, computer, project, ticket_hash, created_at, expires_at } = row;
    const isPublic = ticket_hash === null;
    const url = this.#urlOf(row);
    return { port, computer_id, computer, project, public: isPublic, url, created_at, expires_at };
  }

  #urlOf({ label }: PublicationRecord): string {
    const { domain, port = () => DEFAULT_PORT } = this.#previews;
    return domain === undefined
      ? new URL(`http://${label}.localhost:${port()}/`).href
      : `https://${label}.${domain}/`;
  }
}
