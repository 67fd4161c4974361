import type { Elements as Answer, Element, FindElements } from '../../contract/actions/actions.js';
import { ELEMENTS } from '../../contract/constants.js';
import { ApiError } from '../../contract/errors.js';
import { abortable } from '../../lib/async/abort.js';
import { composed } from '../../lib/text/composed.js';
import type { PreparedInput } from '../actions/input-actions.js';
import type { Locating, RunningComputers } from '../actions/running-computers.js';
import { inCommands } from '../errors/remedies.js';
import type { Session } from '../sessions/session.js';
import type { ComputerRecord } from '../store/records.js';
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
   * element that is gone or hidden.
   */
  async locate(
    session: Session,
    record: ComputerRecord,
    input: PreparedInput,
    signal?: AbortSignal,
  ): Promise<PreparedInput> {
    const { element: id } = input;
    if (id === undefined) return input;
    const found = await this.#of(session).find(id, signal);
    if (found === undefined) {
      throw new ApiError('not_found', `The element ${id} is gone or cannot be seen.`, {
        remedy: `List the elements again: vc computer elements ${inCommands(record)}`,
      });
    }
    const [x, y, width, height] = found.box;
    const at = { x: x + Math.floor(width / 2), y: y + Math.floor(height / 2) };
    return { ...input, at, perform: (screen, s) => input.perform(screen, s, at) };
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
