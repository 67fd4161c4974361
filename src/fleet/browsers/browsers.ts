import type { Duplex } from 'node:stream';
import { ApiError } from '../../contract/errors.js';
import { onAbort } from '../../lib/async/abort.js';
import { deferred } from '../../lib/async/deferred.js';
import { describeBrowser, openDevTools, openTab } from '../../shell/browser/devtools.js';
import type { BrowserEndpoint } from '../../shell/browser/endpoint.js';
import { openKeptBrowser, startTemporaryBrowser } from '../../shell/browser/start.js';
import type { Shell } from '../../shell/types.js';
import type { ApiKeys, Owner } from '../accounts/api-keys.js';
import type { Actions } from '../actions/actions.js';
import { generateId } from '../computers/ids.js';
import type { ComputerRecord } from '../store/records.js';

/** Temporary browsers of a computer. */
const MOST_TEMPORARY = 16;
/** Milliseconds after which one that nobody connected to ends: longer than its ticket lives. */
const UNUSED_MS = 65_000;
/** The first page of a browser; its own one would load from the internet. */
const BLANK = 'about:blank';

interface Temporary {
  readonly computerId: string;
  readonly endpoint: BrowserEndpoint;
  readonly unused: NodeJS.Timeout;
  end(): void;
}

interface Opening {
  readonly url?: string | undefined;
  readonly args: readonly string[];
}

/** The browsers of computers, for programs that speak the Chrome DevTools Protocol. */
export class Browsers {
  readonly #actions: Pick<Actions, 'shell'>;
  readonly #apiKeys: ApiKeys;
  /** The last known browser of the kept profile; a new connection to the guest asks again. */
  readonly #kept = new WeakMap<Shell, BrowserEndpoint>();
  readonly #temporary = new Map<string, Temporary>();
  /** Temporary browsers by computer, including those that start. */
  readonly #counts = new Map<string, number>();

  constructor(actions: Pick<Actions, 'shell'>, apiKeys: ApiKeys) {
    this.#actions = actions;
    this.#apiKeys = apiKeys;
  }

  /** Finds or starts the browser of the kept profile. */
  open(
    record: ComputerRecord,
    { url, args }: Opening,
    signal?: AbortSignal,
  ): Promise<{ started: boolean }> {
    const work = async (shell: Shell) => {
      const endpoint = await this.#find(shell, [...args, url ?? BLANK], {
        ...(signal && { signal }),
        isOptional: args.length === 0,
      });
      if (!endpoint.started && url !== undefined) await openTab(shell, endpoint, url, signal);
      return { started: endpoint.started };
    };
    return this.#actions.shell(record, work, signal);
  }

  /**
   * Starts a browser with an empty profile and returns its id. It ends with the one connection that
   * is made to it, when none is made in time, and with the owner's key.
   */
  async openTemporary(
    owner: Owner,
    record: ComputerRecord,
    { url, args }: Opening,
    signal?: AbortSignal,
  ): Promise<string> {
    this.#count(record, 1);
    const ending = new AbortController();
    const end = () => ending.abort(new ApiError('guest_failed', 'The browser has ended.'));
    const forget = onAbort(signal, end);
    const dispose = [forget, this.#apiKeys.whileValid(owner, end)];
    const id = generateId('brw');
    const opened = deferred<void>();
    const live = async (shell: Shell) => {
      const options = [...args, url ?? BLANK];
      const { endpoint, process } = await startTemporaryBrowser(shell, options, ending.signal);
      const unused = setTimeout(end, UNUSED_MS);
      unused.unref();
      this.#temporary.set(id, { computerId: record.id, endpoint, unused, end });
      opened.resolve();
      dispose.push(onAbort(ending.signal, () => process.stdin.end()));
      forget();
      await process.exit.finally(() => clearTimeout(unused));
    };
    // It counts as used until it has ended.
    this.#actions
      .shell(record, live, ending.signal)
      .catch((error: unknown) => opened.reject(error))
      .finally(() => {
        this.#temporary.delete(id);
        this.#count(record, -1);
        for (const each of dispose) each();
      });
    await opened.promise;
    return id;
  }

  /** What the browser of the kept profile says of itself. */
  describe(
    record: ComputerRecord,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const work = async (shell: Shell) => {
      const endpoint = await this.#find(shell, [BLANK], { signal, isOptional: true });
      return describeBrowser(shell, endpoint, signal);
    };
    return this.#actions.shell(record, work, signal);
  }

  /**
   * Connects to the browser and runs `use` with the bytes of its WebSocket, which was opened with the
   * client's `key`. A temporary browser ends afterwards.
   */
  async connect(
    record: ComputerRecord,
    { key, temporary }: { readonly key: string; readonly temporary?: string | undefined },
    use: (stream: Duplex) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const own = temporary === undefined ? undefined : this.#take(record, temporary);
    try {
      await this.#actions.shell(
        record,
        async (shell) => {
          const stream = await (own
            ? openDevTools(shell, own.endpoint, key, signal)
            : this.#connectKept(shell, key, signal));
          await use(stream).finally(() => stream.destroy());
        },
        signal,
      );
    } finally {
      own?.end();
    }
  }

  async #connectKept(shell: Shell, key: string, signal: AbortSignal): Promise<Duplex> {
    const known = this.#kept.get(shell);
    if (known) {
      try {
        return await openDevTools(shell, known, key, signal);
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'guest_failed') throw error;
        this.#kept.delete(shell);
      }
    }
    const endpoint = await this.#find(shell, [BLANK], { signal, isOptional: true });
    return openDevTools(shell, endpoint, key, signal);
  }

  async #find(
    shell: Shell,
    args: readonly string[],
    options: { readonly isOptional: boolean; readonly signal?: AbortSignal | undefined },
  ): Promise<BrowserEndpoint> {
    const endpoint = await openKeptBrowser(shell, args, options);
    this.#kept.set(shell, endpoint);
    return endpoint;
  }

  #take({ id: computerId }: ComputerRecord, id: string): Temporary {
    const found = this.#temporary.get(id);
    if (found === undefined || found.computerId !== computerId) {
      throw new ApiError('guest_failed', 'This temporary browser has ended.', {
        remedy: 'Open another one: POST C/browser',
      });
    }
    clearTimeout(found.unused);
    this.#temporary.delete(id);
    return found;
  }

  #count({ id, name }: ComputerRecord, change: number): void {
    const count = (this.#counts.get(id) ?? 0) + change;
    if (count > MOST_TEMPORARY) {
      const message = `${JSON.stringify(name)} has ${MOST_TEMPORARY} temporary browsers, which is the limit.`;
      throw new ApiError('limit_reached', message, {
        remedy: 'Close the connection to one of them first.',
      });
    }
    if (count === 0) this.#counts.delete(id);
    else this.#counts.set(id, count);
  }
}
