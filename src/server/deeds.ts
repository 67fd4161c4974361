import { ApiError } from '../contract/errors.js';
import type { OperationName } from '../contract/operations.js';
import type { Action } from '../contract/resources.js';
import type { Owner } from '../fleet/access.js';
import type { Fleet } from '../fleet/fleet.js';
import { isCommand } from '../screen/keyboard/command.js';
import type { Params } from './requests.js';

type Value = string | number | boolean;

/** Words and numbers that say what was done and hold nothing of what a user writes. */
const PLAIN = [
  ...['x', 'y', 'button', 'double', 'clicks', 'start_x', 'start_y', 'end_x', 'end_y', 'duration'],
  ...['direction', 'amount', 'seconds', 'until', 'timeout', 'background', 'mode', 'port', 'fps'],
];
/** Texts of which only the length is told. */
const MEASURED = ['text', 'command', 'code', 'path'];

/** What the ledger keeps of a request's body or query: coordinates and lengths, never a text. */
export function describeInput(input: unknown): Action['detail'] {
  if (typeof input !== 'object' || input === null) return {};
  const given = input as Readonly<Record<string, unknown>>;
  const detail: Record<string, Value> = {};
  for (const name of PLAIN) {
    const value = given[name];
    if (isValue(value)) detail[name] = value;
  }
  for (const name of MEASURED) {
    const value = given[name];
    if (typeof value === 'string' || Array.isArray(value)) detail[`${name}_length`] = value.length;
  }
  if (typeof given.key === 'string') {
    if (isCommand(given.key)) detail.key = given.key;
    else detail.key_length = given.key.length;
  }
  if (Array.isArray(given.actions)) {
    detail.actions = given.actions
      .map((one) => String((one as { action?: unknown }).action))
      .join(' ')
      .slice(0, 500);
  }
  return detail;
}

function isValue(value: unknown): value is Value {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** Operations that only tell how things stand. A picture of the screen is more than that. */
const LOOKS: readonly string[] = [
  ...['getComputer', 'listActions', 'listComputers', 'streamStatus', 'listJobs', 'getJob'],
];

export interface Request {
  readonly name: OperationName | 'readFile' | 'writeFile';
  readonly owner: Owner;
  readonly params: Params;
  readonly input: unknown;
}

/**
 * Runs what was asked for and writes it into the ledger of the computer that it was done to, with
 * how it ended. What was done to no computer, or only told something, is not written.
 */
export async function recorded<T>(
  fleet: Fleet,
  request: Request,
  work: () => T,
): Promise<Awaited<T>> {
  const began = Date.now();
  const computerId = LOOKS.includes(request.name) ? undefined : computerIn(fleet, request);
  const record = (id: string | undefined, outcome: string) => {
    if (id === undefined) return;
    const { owner, name: action } = request;
    const detail = describeInput(request.input);
    fleet.ledger.record({ owner, computerId: id, action, detail, outcome, began });
  };
  try {
    const result = await work();
    record(computerId, 'ok');
    record(createdId(request.name, result), 'ok');
    return result;
  } catch (error) {
    record(computerId, outcomeOf(error));
    throw error;
  }
}

/** What is opened in a computer and stays. */
export interface Opening {
  readonly owner: Owner;
  readonly computerId: string;
  readonly name: 'process' | 'tunnel' | 'viewOpened';
}

/**
 * Writes an opening into the ledger, once: when it is open, with what describes it, or when that
 * failed. What becomes of it later is not written.
 */
export function recordedOpening(fleet: Fleet, { owner, computerId, name: action }: Opening) {
  const began = Date.now();
  let isWritten = false;
  const record = (outcome: string, detail: Action['detail']) => {
    if (isWritten) return;
    isWritten = true;
    fleet.ledger.record({ owner, computerId, action, detail, outcome, began });
  };
  return {
    opened: (input: unknown) => record('ok', describeInput(input)),
    failed: (error: unknown) => record(outcomeOf(error), {}),
  };
}

function outcomeOf(error: unknown): string {
  return error instanceof ApiError ? error.code : 'internal';
}

/** The id of the computer that the path names, if it is there and the owner's. */
function computerIn(fleet: Fleet, { owner, params }: Request): string | undefined {
  const { id, project, computer } = params;
  try {
    if (id !== undefined) return fleet.computers.find(owner, { id }).id;
    if (project === undefined || computer === undefined) return undefined;
    return fleet.computers.find(owner, { project, name: computer }).id;
  } catch {
    return undefined;
  }
}

/** A copy's ledger begins with the copying, too. */
function createdId(name: Request['name'], result: unknown): string | undefined {
  const isNew = name === 'createComputer' || name === 'forkComputer';
  return isNew ? (result as { id?: string }).id : undefined;
}
