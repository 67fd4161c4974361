import { ApiError } from '../contract/errors.js';
import type { OperationName, Operations } from '../contract/operations.js';
import type { Owner } from '../fleet/accounts/api-keys.js';
import type { OnCreated, Outcome } from '../fleet/computers/idempotency.js';
import type { Fleet } from '../fleet/fleet.js';
import type { Call } from './requests.js';

/** Of an answer that an earlier request with the same key has got. */
export const REPEATED_HEADER = 'idempotent-replayed';

/** How to answer about a resource that was created and not answered. */
type Resume = (fleet: Fleet, owner: Owner, id: string) => Promise<unknown> | undefined;

const computer: Resume = (fleet, owner, id) => fleet.computers.resume(owner, id);

/** The operations that take the header `Idempotency-Key`. Keys are not among them: see docs/http.md. */
type Creation = {
  [N in OperationName]: Operations[N] extends { readonly idempotent: true } ? N : never;
}[OperationName];

const RESUMES: Readonly<Record<Creation, Resume>> = {
  createProject: (fleet, owner, id) => fleet.projects.resume(owner, id),
  createComputer: computer,
  createComputerIn: computer,
  forkComputer: (fleet, owner, id) =>
    id.startsWith('[')
      ? fleet.computers.resumeAll(owner, JSON.parse(id))
      : computer(fleet, owner, id),
  createSnapshot: (fleet, owner, id) => fleet.snapshots.resume(owner.id, id),
  saveImage: (fleet, owner, id) => fleet.images.resume(owner, id),
};

/** Runs `work`, unless it is a creation that an earlier request with the same key has made. */
export async function withIdempotency(
  name: OperationName,
  { fleet, owner, params, body, headers }: Call<unknown, unknown>,
  work: (onCreated?: OnCreated) => unknown,
): Promise<Outcome<unknown>> {
  const resume = (RESUMES as Partial<Record<OperationName, Resume>>)[name];
  const key = resume && keyOf(headers['idempotency-key']);
  if (resume === undefined || key === undefined) return { answer: await work(), isRepeated: false };
  return fleet.idempotency.once({
    ownerId: owner.id,
    key,
    // What a key for one project gets again must be of that project.
    asked: [name, params, body, ...(owner.projectId === undefined ? [] : [owner.projectId])],
    create: async (onCreated) => work(onCreated),
    resume: (id) => resume(fleet, owner, id),
  });
}

function keyOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  const message = 'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.';
  throw new ApiError('invalid_request', message, { remedy: 'Use a random UUID.' });
}
