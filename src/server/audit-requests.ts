import type { BatchAction } from '../contract/actions/batch.js';
import {
  endpoints,
  isComputerOperation,
  type OperationName,
  type StreamName,
} from '../contract/operations.js';
import type { Action } from '../contract/resources.js';
import type { Owner } from '../fleet/accounts/api-keys.js';
import { ActionCounts } from '../fleet/audit/action-counts.js';
import { CANCELLED, isRefusal, outcomeOf, startTimer } from '../fleet/audit/audit-log.js';
import { describeInput, nameInPath } from '../fleet/audit/input-detail.js';
import type { Fleet } from '../fleet/fleet.js';
import type { TextToType } from '../fleet/secrets/secrets.js';
import type { ComputerRecord } from '../fleet/store/records.js';
import { ByteStream, type Params } from './requests.js';

export interface Request {
  readonly name: OperationName | StreamName;
  readonly owner: Owner;
  readonly computer: Pick<ComputerRecord, 'id' | 'name' | 'project_id'> | undefined;
  readonly input: unknown;
  /** Path parameters, which name the key, project, connection or owner. */
  readonly params?: Params;
  /** Its signal is aborted when the client goes away. */
  readonly call?: { readonly signal: AbortSignal };
  /** The owner that an administrator's request is about. */
  readonly affected?: { readonly id: string; readonly name: string } | undefined | false;
}

/** Whether the request is in the audit log; one on a computer only if there is that computer. */
function isAudited({ name, computer }: Request): boolean {
  const endpoint = endpoints[name];
  if (endpoint.audit === undefined) return false;
  return computer !== undefined || !isComputerOperation(endpoint);
}

/** Another form of the same request has its name. */
function actionOf({ name }: Request): string {
  return name === 'createComputerIn' ? 'createComputer' : name;
}

/** Writes that a request was refused before it began: by a missing right, or by the control of another. */
export function auditRefusal(fleet: Fleet, request: Request, error: unknown): void {
  const { owner, computer, input } = request;
  const action = actionOf(request);
  const outcome = outcomeOf(error);
  if (!isAudited(request) || !isRefusal(outcome)) return;
  const names = computer === undefined ? namesOf(request) : {};
  const detail = { ...describeInput(input, action), ...names };
  fleet.auditLog.record({
    owner,
    computerId: computer?.id,
    computerName: computer?.name,
    action,
    detail,
    outcome,
    isRefusal: true,
    ...startTimer()(),
  });
}

/** The code with which a step of a batch was refused, after others were carried out. */
function refusedStep(result: unknown): string | undefined {
  const { success, results } = (result ?? {}) as { success?: unknown; results?: unknown };
  if (success !== false || !Array.isArray(results)) return undefined;
  const { code } = (results.at(-1) ?? {}) as { code?: unknown };
  return typeof code === 'string' && isRefusal(code) ? code : undefined;
}

/** Of an operation on a whole project: how many computers it has changed, and of how many it failed. */
function countsOf(result: unknown): Action['detail'] {
  const { success, computers } = (result ?? {}) as { success?: unknown; computers?: unknown };
  if (success === undefined || !Array.isArray(computers)) return {};
  return {
    changed: computers.filter(({ changed }) => changed === true).length,
    failed: computers.filter(({ error }) => error !== undefined).length,
  };
}

/**
 * Runs `work` and writes it with its outcome into the audit log; a streamed answer when it has ended.
 * Operations that only read are not logged, except for screenshots and files, nor is the renewal of
 * control. `work` reports the actions that its input does not have as such.
 */
export async function audited<T>(
  fleet: Fleet,
  request: Request,
  work: (onActions: (actions: readonly BatchAction[]) => void) => T,
): Promise<Awaited<T>> {
  const { owner, computer } = request;
  const action = actionOf(request);
  const timer = startTimer();
  const isRenewal = action === 'takeControl' && fleet.control.isHeldBy(computer?.id ?? '', owner);
  // The entry of a creation is that of the new computer.
  const isLogged = isAudited(request) && action !== 'createComputer' && !isRenewal;
  const isOwners = isLogged && computer === undefined;
  let performed: ActionCounts | undefined;
  const perform = () => {
    performed ??= new ActionCounts((texts) =>
      computer === undefined ? [] : fleet.secrets.usedBy(computer, texts),
    );
    return performed;
  };
  const { actions, text, secrets } = (request.input ?? {}) as Partial<TextToType> & {
    readonly actions?: readonly BatchAction[];
  };
  // They were validated.
  if (isLogged && actions !== undefined) perform().add(actions);
  if (isLogged && text !== undefined) perform().type([{ text, secrets }]);
  let affected = request.affected ? request.affected.id : undefined;
  const record = (outcome: string, computerId: string | undefined, more?: Action['detail']) => {
    const detail = { ...describeInput(request.input, action), ...performed?.detail, ...more };
    // What another's control interrupts has begun.
    const isRefusal = outcome === 'forbidden' && (performed?.isEmpty ?? true);
    const projectId = computer?.project_id;
    fleet.auditLog.record({
      owner,
      affected,
      computerId,
      computerName: computerId === computer?.id ? computer?.name : undefined,
      projectId,
      action,
      detail,
      outcome,
      isRefusal,
      ...timer(),
    });
  };
  const names = isOwners ? namesOf(request) : {};
  const { snapshot, port } = request.params ?? {};
  if (isLogged && snapshot !== undefined) names.snapshot = nameInPath(snapshot);
  if (isLogged && port !== undefined) names.port = nameInPath(port);
  try {
    const result = await work((begun) => perform().add(begun));
    const { id } = (result ?? {}) as { id?: string };
    if (action === 'createOwner') affected = id;
    const done = (outcome: string) =>
      record(outcome, computer?.id, {
        ...names,
        ...(isOwners && id !== undefined && { id }),
        ...(isOwners && countsOf(result)),
        ...exitOf(result),
      });
    if (isLogged && result instanceof ByteStream) onEnd(result, done);
    else if (isLogged) done(refusedStep(result) ?? 'ok');
    if (action === 'createComputer') record('ok', id);
    if (action === 'forkComputer') for (const copy of copiesOf(result)) record('ok', copy);
    return result;
  } catch (error) {
    if (isLogged) record(outcomeOf(error, request.call?.signal), computer?.id, names);
    throw error;
  }
}

/** The exit code of a command that has failed. */
function exitOf(result: unknown): Action['detail'] {
  const { exit_code: code } = (result ?? {}) as { exit_code?: unknown };
  return typeof code === 'number' && code !== 0 ? { exit_code: code } : {};
}

/** The ids of the copies of an answer. */
function copiesOf(result: unknown): readonly (string | undefined)[] {
  const { id, computers } = result as { id?: string; computers?: readonly { id: string }[] };
  return computers?.map((copy) => copy.id) ?? [id];
}

/** Leaving is the way to end a recording, so only its own failure is one. */
function onEnd({ data }: ByteStream, done: (outcome: string) => void): void {
  let outcome = 'ok';
  data.once('error', (error) => {
    outcome = outcomeOf(error);
  });
  data.once('close', () => done(outcome));
}

/**
 * What the path names: parameters come from the client and may be long, or none at all. An owner by name and id,
 * because the id is what its entries are found by once it is deleted.
 */
function namesOf({ params = {}, affected }: Request): Action['detail'] {
  if (affected) return { owner: affected.name, id: affected.id };
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, nameInPath(value)]),
  );
}

/** A long-lived connection to a computer. */
export interface AuditedConnection {
  readonly owner: Owner;
  readonly computerId: string;
  readonly name: 'process' | 'tunnel' | 'cdp' | 'viewOpened';
  /** Aborted when the client goes away. */
  readonly signal?: AbortSignal;
}

/** Writes a connection into the audit log, once. */
export interface ConnectionAudit {
  /** Sets what the entry says: the operation's name, and its input. */
  describe(action: string, input: unknown): void;
  /** Writes the entry now, for a connection that may stay open for days. */
  opened(input: unknown): void;
  /** The program of the connection has ended with this code. */
  exited(code: number | null): void;
  /** The client has cancelled it. */
  cancelled(): void;
  /** Writes the entry unless it is written, with the error if the connection failed. */
  ended(error?: unknown): void;
}

export function auditConnection(fleet: Fleet, connection: AuditedConnection): ConnectionAudit {
  const { owner, computerId, signal } = connection;
  const timer = startTimer();
  let action: string = connection.name;
  let detail: Action['detail'] = {};
  let isCancelled = false;
  let isWritten = false;
  const record = (outcome: string) => {
    if (isWritten) return;
    isWritten = true;
    fleet.auditLog.record({ owner, computerId, action, detail, outcome, ...timer() });
  };
  return {
    describe: (name, input) => {
      action = name;
      detail = describeInput(input, action);
    },
    opened: (input) => {
      detail = describeInput(input, action);
      record('ok');
    },
    exited: (code) => {
      detail = { ...detail, ...exitOf({ exit_code: code }) };
    },
    cancelled: () => {
      isCancelled = true;
    },
    ended: (error) => {
      const outcome = error === undefined ? 'ok' : outcomeOf(error);
      const isEnded = isCancelled || signal?.aborted || isLostToStep(fleet, computerId, outcome);
      record(isEnded ? CANCELLED : outcome);
    },
  };
}

/**
 * Whether a connection was lost because the service stops, restarts, resets or deletes the computer, or
 * because its machine ended.
 */
function isLostToStep(fleet: Fleet, computerId: string, outcome: string): boolean {
  if (outcome !== 'guest_failed') return false;
  const status = fleet.computers.present(computerId)?.status;
  return status !== 'running' && status !== 'error';
}
