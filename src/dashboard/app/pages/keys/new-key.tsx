import type { CreatedKey } from '../../api/types.js';
import { Copy } from '../../components/forms/copy.js';
import { Dialog } from '../../components/forms/dialog.js';
import { keyLines } from './key-lines.js';

/** A new key, the only time that it is shown. */
export function NewKey({ created, onClose }: { created: CreatedKey; onClose: () => void }) {
  const base = `${location.origin}/api`;
  return (
    <Dialog title={`Key ${created.name}`} onClose={onClose}>
      <p>Copy it now. It is shown only this once.</p>
      {keyLines(created.key, base).map(({ name, text, copy }) => (
        <section class="once" key={name} aria-label={name}>
          <h3>{name}</h3>
          <code class="break">{text}</code>
          <Copy text={() => text}>{copy}</Copy>
        </section>
      ))}
      <footer>
        <button type="button" class="primary" data-first onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  );
}
