import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { Session } from '../../api/types.js';
import { Dialog } from '../../components/forms/dialog.js';
import { pagesOf } from '../../components/frame/shell.js';
import { perform } from '../../state/power.js';
import { may } from '../../state/session.js';
import { visible } from '../../state/visible.js';
import { computers } from '../../state/wall.js';
import { type Entry, entriesOf, found } from './entries.js';

/** Documents of their own, outside of this page. */
const DOCUMENTS = /^\/(terminal|api)\//;

/** Finds a page, a computer or what to do with it by a few letters. */
export function Palette({ session, onClose }: { session: Session; onClose: () => void }) {
  const { route } = useLocation();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const all = entriesOf({
    pages: pagesOf(session),
    computers: [...computers.value.values()],
    may: may.value,
  });
  const shown = found(all, typed);
  const current = Math.min(at, shown.length - 1);
  const choose = ({ href, power }: Entry) => {
    onClose();
    if (power !== undefined) void perform(power.power, [power.computer]);
    else if (href !== undefined && DOCUMENTS.test(href)) location.assign(href);
    else if (href !== undefined) route(href);
  };
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) setAt((current + by + shown.length) % Math.max(1, shown.length));
    const chosen = shown[current];
    if (event.key === 'Enter' && chosen !== undefined) choose(chosen);
    if (by !== undefined || event.key === 'Enter') event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <div class="palette">
        <input
          type="text"
          role="combobox"
          aria-label="Page, computer or action"
          aria-expanded={shown.length > 0}
          aria-controls="palette"
          aria-activedescendant={shown.length > 0 ? `palette-${current}` : undefined}
          autocomplete="off"
          spellcheck={false}
          placeholder="Page, computer or action"
          value={typed}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKey}
        />
        <div role="listbox" id="palette" aria-label="Found">
          {shown.map((entry, index) => (
            <button
              type="button"
              key={`${entry.href} ${entry.text}`}
              id={`palette-${index}`}
              role="option"
              tabIndex={-1}
              class="item"
              aria-selected={index === current}
              onClick={() => choose(entry)}
            >
              <span class="break">{visible(entry.text)}</span>
              <span class="muted">{entry.hint}</span>
            </button>
          ))}
        </div>
        {shown.length === 0 && <p class="muted">Nothing matches.</p>}
      </div>
    </Dialog>
  );
}
