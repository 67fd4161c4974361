import { ApiError } from '../../contract/errors.js';
import type { Screen } from '../../screen/types.js';
import { withGuestDeadline } from '../guest-deadline.js';
import type { ComputerRecord } from '../store/records.js';
import type { Actions } from './actions.js';

/** The program that has copied the text has to answer in this time. */
const CLIPBOARD_MS = 10_000;

/** Prints what was copied before the screen was connected. */
const READ = 'timeout 5 xclip -out -selection clipboard -target UTF8_STRING';

/** The text of a computer's clipboard; empty if there is none. */
export async function readClipboard(
  actions: Actions,
  record: ComputerRecord,
  signal?: AbortSignal,
): Promise<string> {
  const text = await inTurn(actions, record, (screen, s) => screen.clipboard(s), signal);
  if (text !== undefined) return text;
  const run = { command: READ, timeoutMs: CLIPBOARD_MS, background: false };
  const printed = actions.ask(record, (shell, s) => shell.run({ ...run, signal: s }), signal);
  return printed.then(
    ({ exitCode, stdout }) => (exitCode === 0 ? stdout : ''),
    (error: unknown) => {
      // Not every image has a shell.
      if (error instanceof ApiError && error.code === 'unsupported') return '';
      throw error;
    },
  );
}

/** Sets the text of a computer's clipboard, unless `check` throws when its turn has come. */
export function writeClipboard(
  actions: Actions,
  record: ComputerRecord,
  { text, check }: { readonly text: string; check(): void },
  signal?: AbortSignal,
): Promise<void> {
  const write = async (screen: Screen, s: AbortSignal) => {
    check();
    await screen.setClipboard(text, s);
  };
  return actions.recorded(
    record,
    () => ({ action: 'set_clipboard', text }),
    () => inTurn(actions, record, write, signal),
  );
}

/** Runs `work` after earlier input, because typing uses the clipboard as well. */
function inTurn<T>(
  actions: Actions,
  record: ComputerRecord,
  work: (screen: Screen, signal: AbortSignal) => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const late = `The clipboard of ${JSON.stringify(record.name)} did not answer in time.`;
  return actions.screen(
    record,
    (screen, input) =>
      input.run(
        () => withGuestDeadline(CLIPBOARD_MS, late, signal, (s) => work(screen, s)),
        signal,
      ),
    signal,
  );
}
