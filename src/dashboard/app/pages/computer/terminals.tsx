import { useState } from 'preact/hooks';
import type { Computer } from '../../api/types.js';
import { Icon } from '../../components/icon.js';
import { shellKey } from '../../state/shell-key.js';

/** The numbers of the terminals beside the pages of a computer. Their shells survive a reload. */
export function useTerminals(id: string) {
  const key = `terminals:${id}`;
  const [open, setOpen] = useState({ key, numbers: stored(key) });
  const change = (numbers: readonly number[]) => {
    for (const number of open.numbers) {
      if (!numbers.includes(number)) sessionStorage.removeItem(shellKey(id, number));
    }
    sessionStorage.setItem(key, numbers.join());
    setOpen({ key, numbers });
  };
  return [open.key === key ? open.numbers : stored(key), change] as const;
}

function stored(key: string): readonly number[] {
  return (sessionStorage.getItem(key) ?? '').split(',').filter(Boolean).map(Number);
}

interface TerminalsProps {
  readonly computer: Computer;
  readonly open: readonly number[];
  readonly onChange: (open: readonly number[]) => void;
}

/** A terminal in place of the screen. */
export function TerminalTab({ computer }: { computer: Computer }) {
  return <iframe class="terminal" src={`/terminal/${computer.id}`} title="Terminal" />;
}

/** Terminals of a computer, of which one is shown. The others continue. */
export function Terminals({ computer, open, onChange }: TerminalsProps) {
  const [chosen, setChosen] = useState<number>();
  const shown = open.find((number) => number === chosen) ?? open.at(-1);
  const add = () => {
    const number = Math.max(...open) + 1;
    onChange([...open, number]);
    setChosen(number);
  };
  return (
    <section class="terminals" aria-label="Terminals">
      <div class="terminal-bar">
        {open.map((number) => (
          <span key={number} class="terminal-name">
            <button
              type="button"
              class="small ghost"
              aria-pressed={number === shown}
              onClick={() => setChosen(number)}
            >
              Terminal {number}
            </button>
            <button
              type="button"
              class="small ghost square"
              aria-label={`Close terminal ${number}`}
              title="Close, and end its shell"
              onClick={() => onChange(open.filter((each) => each !== number))}
            >
              <Icon name="close" />
            </button>
          </span>
        ))}
        <button type="button" class="ghost square" aria-label="New terminal" onClick={add}>
          <Icon name="plus" />
        </button>
      </div>
      {open.map((number) => (
        <iframe
          key={number}
          src={`/terminal/${computer.id}#${number}`}
          title={`Terminal ${number}`}
          hidden={number !== shown}
        />
      ))}
    </section>
  );
}
