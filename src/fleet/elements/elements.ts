import type { Elements as Answer, Element, FindElements } from '../../contract/actions/actions.js';
import { ELEMENTS } from '../../contract/constants.js';
import { ApiError } from '../../contract/errors.js';
import { abortable } from '../../lib/async/abort.js';
import { composed } from '../../lib/text/composed.js';
import type { Region } from '../../screen/types.js';
import type { PreparedInput } from '../actions/input-actions.js';
import type { Locating, RunningComputers } from '../actions/running-computers.js';
import { inCommands } from '../errors/remedies.js';
import { findText } from '../screen-text/find-text.js';
import { type Lines, ScreenText } from '../screen-text/screen-text.js';
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
  readonly #text = new ScreenText();

  constructor(running: Pick<RunningComputers, 'session'>) {
    this.#running = running;
  }

  /** Lists at most `limit` elements. */
  async list(record: ComputerRecord, limit: number, signal?: AbortSignal): Promise<Answer> {
    const { elements, truncated } = await this.#list(record, limit, signal);
    return answer(elements, truncated, limit);
  }

  /** Lists the elements that all conditions hold for; if there are none, the places of the text. */
  async find(
    record: ComputerRecord,
    { limit, source, ...conditions }: FindElements,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const { text, role, name } = conditions;
    const session = await this.#running.session(record, signal);
    const isText = text !== undefined && (role ?? name) === undefined && source !== 'elements';
    if (source !== 'text') {
      const listing = this.all(session, signal);
      // Programs of Windows have no elements, but a text can be read.
      const listed = await (isText ? listing.catch(noneIfUnsupported) : listing);
      const found = listed.elements.filter(matcher(conditions));
      if (!isText || found.length > 0) {
        const elements = found.map((each) => ({ ...each, source: 'elements' as const }));
        return answer(elements, listed.truncated, limit);
      }
    }
    return answer(findText(await this.#text.read(session, signal), text ?? ''), false, limit);
  }

  text(session: Session, signal?: AbortSignal): Promise<Lines> {
    return this.#text.watch(session, signal);
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
    const text = TEXT_ID.exec(id);
    if (text) return inTheMiddle(input, text.slice(1).map(Number));
    const found = await this.#of(session).find(id, signal);
    if (marked !== undefined) requireSame(marked, found, record);
    if (found === undefined) {
      throw new ApiError('not_found', `The element ${id} is gone or cannot be seen.`, {
        remedy: `List the elements again: vc computer elements ${inCommands(record)}`,
      });
    }
    return inTheMiddle(input, found.box);
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

/** Of a text on the screen: its box. */
const TEXT_ID = /^text-(\d+)-(\d+)-(\d+)-(\d+)$/;

function inTheMiddle(input: PreparedInput, box: readonly number[]): PreparedInput {
  const [x = 0, y = 0, width = 0, height = 0] = box;
  const at = middleOf({ box: [x, y, width, height] });
  return { ...input, at, perform: (screen, s) => input.perform(screen, s, at) };
}

function noneIfUnsupported(error: unknown): Answer {
  if (error instanceof ApiError && error.code === 'unsupported') {
    return { elements: [], truncated: false };
  }
  throw error;
}

function answer(elements: readonly Element[], isCut: boolean, limit: number): Answer {
  return {
    elements: elements.slice(0, limit),
    truncated: isCut || elements.length > limit,
  };
}
