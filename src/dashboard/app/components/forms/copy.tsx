import { useState } from 'preact/hooks';
import { Icon } from '../icon.js';

const SHOWN_MS = 2_000;

interface CopyProps {
  readonly text: () => string;
  readonly children: string;
  readonly class?: string;
}

/** A button that copies a text, and says so. */
export function Copy({ text, children, class: kind = 'small' }: CopyProps) {
  const [done, setDone] = useState<'copied' | 'failed'>();
  const copy = async () => {
    const isCopied = await copyText(text());
    setDone(isCopied ? 'copied' : 'failed');
    setTimeout(() => setDone(undefined), SHOWN_MS);
  };
  const says = done === undefined ? children : done === 'copied' ? 'Copied' : 'Select and copy it';
  return (
    <button type="button" class={kind} onClick={() => void copy()}>
      <Icon name={done === 'copied' ? 'check' : 'copy'} />
      <span aria-live="polite">{says}</span>
    </button>
  );
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
