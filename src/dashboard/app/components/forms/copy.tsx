import { useState } from 'preact/hooks';
import { asCurl, asPython, asTypeScript, asVc, type Intent } from '../../api/commands.js';
import { Icon } from '../icon.js';
import { Item, Menu } from '../menu.js';

const SHOWN_MS = 2_000;

interface CopyProps {
  readonly text: () => string;
  readonly children: string;
  readonly class?: string;
}

/** A button that copies a text, and says so. */
export function Copy({ text, children, class: kind = 'small' }: CopyProps) {
  const { icon, says, copy } = useCopy(children);
  return (
    <button type="button" class={kind} onClick={() => void copy(text())}>
      <Icon name={icon} />
      <span aria-live="polite">{says}</span>
    </button>
  );
}

const FORMS = { curl: asCurl, vc: asVc, Python: asPython, TypeScript: asTypeScript };

/** A menu of the forms in which a request can be copied. */
export function CopyAs({ intent }: { intent: () => Intent }) {
  const { icon, says, copy } = useCopy('Copy as');
  return (
    <Menu label={says} icon={icon} class="small ghost" wide>
      {Object.entries(FORMS).map(([name, write]) => (
        <Item key={name} onClick={() => void copy(write(intent(), location.origin))}>
          {name}
        </Item>
      ))}
    </Menu>
  );
}

/** What a button says that copies, before and after. */
function useCopy(name: string) {
  const [done, setDone] = useState<'copied' | 'failed'>();
  const copy = async (text: string) => {
    const isCopied = await copyText(text);
    setDone(isCopied ? 'copied' : 'failed');
    setTimeout(() => setDone(undefined), SHOWN_MS);
  };
  const says = done === undefined ? name : done === 'copied' ? 'Copied' : 'Select and copy it';
  return { copy, says, icon: done === 'copied' ? ('check' as const) : ('copy' as const) };
}

/** Copies by the clipboard of the browser, which plain HTTP has only on the same machine. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'offscreen';
  const host = document.querySelector('dialog[open]') ?? document.body;
  const before = document.activeElement;
  host.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}
