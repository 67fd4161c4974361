import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';

interface DropAreaProps {
  readonly isOn: boolean;
  readonly onFiles: (files: readonly File[]) => void;
  readonly children: ComponentChildren;
}

/** Takes files that are dragged onto it. */
export function DropArea({ isOn, onFiles, children }: DropAreaProps) {
  const [isOver, setOver] = useState(false);
  // Entering a child leaves its parent, so that both are counted.
  const depth = useRef(0);
  const enter = (by: number) => {
    depth.current += by;
    setOver(depth.current > 0);
  };
  const hasFiles = ({ dataTransfer }: DragEvent) =>
    isOn && dataTransfer?.types.includes('Files') === true;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: by keyboard, the button Upload does the same
    <div
      class="drop"
      data-over={isOver}
      onDragEnter={(event) => hasFiles(event) && enter(1)}
      onDragLeave={(event) => hasFiles(event) && enter(-1)}
      onDragOver={(event) => hasFiles(event) && event.preventDefault()}
      onDrop={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        depth.current = 0;
        setOver(false);
        onFiles([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      {children}
    </div>
  );
}
