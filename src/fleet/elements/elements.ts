import type { Elements as Answer, Element, FindElements } from '../../contract/actions/actions.js';
import { ELEMENTS } from '../../contract/constants.js';
import { ApiError } from '../../contract/errors.js';
import { abortable } from '../../lib/async/abort.js';
import { composed } from '../../lib/text/composed.js';
import type { Region } from '../../screen/types.js';
import type { PreparedInput } from '../actions/input-actions.js';
import type { Locating, RunningComputers } from '../actions/running-computers.js';
import { inCommands } from '../errors/remedies.js';
import type { Session } from '../sessions/session.js';
import type { ComputerRecord } from '../store/records.js';
import { Frames, type Marked, markElements, middleOf, requireSame } from './marks.js';
import { Walks } from './walks.js';

type Conditions = Pick<FindElements, 'text' | 'role' | 'name'>;

/** Whether all given conditions hold for an element. Case does not matter, nor does space around. */
export function matcher(wanted: Conditions): (element: Element) => boolean {
  const text = folded(wanted.text ?? '');
  const wantedName = wanted.name === undefined ? undefined : folded(wanted.name);
  const words = folded(wanted.role ?? '').split(/[\s_-]+/);
  const role = words[0] === '' ? '' : ` ${words.join(' ')} `;
  return (element) => {
    const { name, value } = textsOf(element);
    return (
      (wantedName === undefined || name === wantedName) &&
      (name.includes(text) || value.includes(text)) &&
      ` ${element.role} `.includes(role)
    );
  };
}

interface Texts {
  readonly name: string;
  readonly value: string;
}

/** Of the elements of one list, which many requests may share. */
const known = new WeakMap<Element, Texts>();

function textsOf(element: Element): Texts {
  const texts = known.get(element) ?? {
    name: folded(element.name),
    value: folded(element.value ?? ''),
  };
  known.set(element, texts);
  return texts;
}

const folded = (text: string): string => composed(text.trim()).toLowerCase();

/** The elements on the screens of computers. */
export class Elements implements Locating {
  readonly #running: Pick<RunningComputers, 'session'>;
  readonly #walks = new WeakMap<Session, Walks>();
  readonly #frames = new WeakMap<Session, Frames>();

  constructor(running: Pick<RunningComputers, 'session'>) {
    this.#running = running;
  }

  /** Lists at most `limit` elements. */
  async list(record: ComputerRecord, limit: number, signal?: AbortSignal): Promise<Answer> {
    const { elements, truncated } = await this.#list(record, limit, signal);
    return answer(elements, truncated, limit);
  }

  /** Lists the elements that all conditions hold for. */
  async find(
    record: ComputerRecord,
    { limit, ...conditions }: FindElements,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const { elements, truncated } = await this.#list(record, ELEMENTS.max, signal);
    return answer(elements.filter(matcher(conditions)), truncated, limit);
  }

  all(session: Session, signal?: AbortSignal): Promise<Answer> {
    return abortable(this.#of(session).list(ELEMENTS.max), signal);
  }

  /**
   * The same input, performed in the middle of its element if it is for one. Throws `not_found` for an
   * element that is gone or hidden, and `stale_frame` for a mark that no longer shows its element.
   */
  async locate(
    session: Session,
    record: ComputerRecord,
    input: PreparedInput,
    signal?: AbortSignal,
    keyId?: string,
  ): Promise<PreparedInput> {
    const { element } = input;
    if (element === undefined) return input;
    const marked =
      typeof element === 'string'
        ? undefined
        : this.#framesOf(session).element(element, keyId, record);
    const id = marked?.id ?? String(element);
    const found = await this.#of(session).find(id, signal);
    if (marked !== undefined) requireSame(marked, found, record);
    if (found === undefined) {
      throw new ApiError('not_found', `The element ${id} is gone or cannot be seen.`, {
        remedy: `List the elements again: vc computer elements ${inCommands(record)}`,
      });
    }
    const at = middleOf(found);
    return { ...input, at, perform: (screen, s) => input.perform(screen, s, at) };
  }

  async mark(
    session: Session,
    region: Region | undefined,
    signal?: AbortSignal,
    keyId?: string,
  ): Promise<Marked> {
    const marked = markElements(await this.all(session, signal), region);
    return this.#framesOf(session).add(marked, keyId);
  }

  #framesOf(session: Session): Frames {
    const frames = this.#frames.get(session) ?? new Frames();
    this.#frames.set(session, frames);
    return frames;
  }

  async #list(record: ComputerRecord, limit: number, signal: AbortSignal | undefined) {
    const session = await this.#running.session(record, signal);
    return abortable(this.#of(session).list(limit), signal);
  }

  #of(session: Session): Walks {
    const walks = this.#walks.get(session) ?? new Walks(session);
    this.#walks.set(session, walks);
    return walks;
  }
}

function answer(elements: readonly Element[], isCut: boolean, limit: number): Answer {
  return {
    elements: elements.slice(0, limit),
    truncated: isCut || elements.length > limit,
  };
}
