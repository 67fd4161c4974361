import { useEffect } from 'preact/hooks';
import type { Session } from '../../api/types.js';
import { loaded } from '../../components/loaded.js';
import { isPaletteOpen, watchKeys } from '../../state/palette.js';

const Palette = loaded(async () => (await import('./palette.js')).Palette);

/** Shows the command palette when it is asked for. */
export function PaletteHost({ session }: { session: Session }) {
  useEffect(watchKeys, []);
  const close = () => {
    isPaletteOpen.value = false;
  };
  return isPaletteOpen.value ? <Palette session={session} onClose={close} /> : null;
}
