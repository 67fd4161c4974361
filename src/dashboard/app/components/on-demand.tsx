import { type ComponentType, h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { load } from '../api/load.js';
import { tellFailure } from '../state/notices.js';

/**
 * A component that is loaded when it is first shown; `name` is for the message that it could not be, with
 * which a dialog closes.
 */
export function onDemand<Props extends object>(
  name: string,
  part: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function OnDemand(props: Props) {
    const [, setLoaded] = useState(false);
    useEffect(() => {
      if (loaded !== undefined) return;
      load(part).then(
        (component) => {
          loaded = component;
          setLoaded(true);
        },
        (error: unknown) => {
          tellFailure(`Could not load ${name}`, error);
          if ('onClose' in props && typeof props.onClose === 'function') props.onClose();
        },
      );
    }, []);
    return loaded === undefined ? null : h(loaded, props);
  };
}
