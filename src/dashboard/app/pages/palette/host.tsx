import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { load } from '../../api/load.js';
import type { Session } from '../../api/types.js';
import { tellFailure } from '../../state/notices.js';
import { isPaletteOpen, watchKeys } from '../../state/palette.js';

/** Shows the command palette when it is asked for; it is loaded then. */
export function PaletteHost({ session }: { session: Session }) {
  const [Palette, setPalette] = useState<ComponentType<{ session: Session }>>();
  const isOpen = isPaletteOpen.value;
  useEffect(watchKeys, []);
  useEffect(() => {
    if (!isOpen || Palette !== undefined) return;
    load(() => import('./palette.js')).then(
      (loaded) => setPalette(() => loaded.Palette),
      (error: unknown) => {
        isPaletteOpen.value = false;
        tellFailure('Could not load the palette', error);
      },
    );
  }, [isOpen]);
  return isOpen && Palette !== undefined ? <Palette session={session} /> : null;
}
