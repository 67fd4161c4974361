import { useEffect, useRef, useState } from 'preact/hooks';
import { atOnce } from '../../api/at-once.js';
import { asFailure } from '../../api/failure.js';
import { call } from '../../api/http.js';
import type { Answer, WallComputer } from '../../api/types.js';
import { Dialog } from '../../components/forms/dialog.js';
import { Area } from '../../components/forms/field.js';

/** Computers at the same time; the others wait. */
const AT_ONCE = 4;
const TIMEOUT_S = 60;

interface Result {
  readonly isGood: boolean;
  readonly says: string;
  readonly output: string;
}

interface RunCommandProps {
  readonly chosen: readonly WallComputer[];
  readonly onClose: () => void;
}

/** Runs a command in several computers, and shows what each has answered. */
export function RunCommand({ chosen, onClose }: RunCommandProps) {
  const [results, setResults] = useState<ReadonlyMap<string, Result>>();
  const [isBusy, setBusy] = useState(false);
  const left = useRef(new AbortController());
  // Closing the dialog ends the commands.
  useEffect(() => () => left.current.abort(), []);
  const run = async (command: string) => {
    setBusy(true);
    setResults(new Map());
    await atOnce(chosen, AT_ONCE, async ({ id }) => {
      const result = await runIn(id, command, left.current.signal);
      setResults((before) => new Map(before).set(id, result));
    });
    setBusy(false);
  };
  const count = chosen.length === 1 ? '1 computer' : `${chosen.length} computers`;
  return (
    <Dialog title={`Run a command in ${count}`} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          const fields = new FormData(event.currentTarget);
          if (!isBusy) void run(String(fields.get('command')));
        }}
      >
        <Area
          label="Command"
          name="command"
          rows={3}
          placeholder="uname -a"
          hint={`Runs in bash as user, at most ${TIMEOUT_S} s, in ${AT_ONCE} computers at a time.`}
        />
        {results !== undefined && (
          <ul class="plain results" aria-label="Results" aria-live="polite">
            {chosen.map(({ id, project_name, name }) => {
              const { isGood, says, output } = results.get(id) ?? WAITING;
              return (
                <li key={id}>
                  <p>
                    <bdi class="clip">
                      {project_name}/{name}
                    </bdi>{' '}
                    <span class={isGood ? 'outcome' : 'outcome bad'}>{says}</span>
                  </p>
                  {output !== '' && <pre class="text log">{output}</pre>}
                </li>
              );
            })}
          </ul>
        )}
        <footer>
          <button type="button" onClick={onClose}>
            Close
          </button>
          <button type="submit" class="primary" aria-disabled={isBusy}>
            {isBusy ? 'Running…' : 'Run'}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

const WAITING: Result = { isGood: true, says: 'waiting', output: '' };

async function runIn(id: string, command: string, signal: AbortSignal): Promise<Result> {
  try {
    const { exit_code, timed_out, output } = await call<Answer<'bash'>>(
      'POST',
      `/computers/${id}/bash`,
      {
        body: { command, timeout: TIMEOUT_S },
        signal,
      },
    );
    const ended = timed_out ? `ended after ${TIMEOUT_S} s` : 'ended by a signal';
    const says = exit_code === null ? ended : `exit code ${exit_code}`;
    return { isGood: exit_code === 0, says, output: output.trimEnd() };
  } catch (error) {
    const { message, remedy } = asFailure(error);
    return { isGood: false, says: 'failed', output: [message, remedy].join(' ').trim() };
  }
}
