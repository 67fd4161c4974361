import { useMemo } from 'preact/hooks';
import type { WallComputer } from '../../api/types.js';
import { StatusMark } from '../../components/status.js';
import { shownStatus } from '../../state/power.js';
import { Thumbnail } from './thumbnail.js';

export interface ListProps {
  readonly computers: readonly WallComputer[];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (id: string, isSelected: boolean) => void;
}

/** The computers as pictures. */
export function Tiles({ computers, selected, onSelect }: ListProps) {
  return (
    <ul class="tiles">
      {computers.map((computer) => (
        <Tile
          key={computer.id}
          computer={computer}
          isSelected={selected.has(computer.id)}
          onSelect={onSelect}
        />
      ))}
    </ul>
  );
}

interface TileProps extends Pick<ListProps, 'onSelect'> {
  readonly computer: WallComputer;
  readonly isSelected: boolean;
}

function Tile({ computer, isSelected, onSelect }: TileProps) {
  const status = shownStatus(computer);
  // Each change of one computer shows the list again: the others stay as they are.
  return useMemo(
    () => (
      <li class="tile">
        <a
          href={`/computers/${computer.id}`}
          aria-label={`${computer.project_name}/${computer.name}`}
        >
          <Thumbnail computer={computer} />
        </a>
        <div class="caption">
          <input
            type="checkbox"
            aria-label={`Select ${computer.name}`}
            checked={isSelected}
            onChange={(event) => onSelect(computer.id, event.currentTarget.checked)}
          />
          <p class="clip name" title={computer.name}>
            {computer.name}
          </p>
          <StatusMark status={status} reason={computer.status_reason} />
          <p class="clip muted facts">
            {computer.project_name} · {computer.engine}
            {computer.member === null ? '' : ` on ${computer.member}`} · {computer.cpu} CPU ·{' '}
            {computer.ram} GB
          </p>
          <p class="clip muted facts">
            {computer.control == null ? (
              <>
                by <bdi>{creatorOf(computer)}</bdi>
              </>
            ) : (
              <span class="driver">
                driven by <bdi>{computer.control.holder.key_name ?? 'a key'}</bdi>
              </span>
            )}
          </p>
        </div>
      </li>
    ),
    [computer, isSelected, status, onSelect],
  );
}

/** Who made a computer. */
export function creatorOf({ created_by }: Pick<WallComputer, 'created_by'>): string {
  if (created_by === null) return 'unknown';
  return created_by.name ?? (created_by.prefix === null ? created_by.id : `${created_by.prefix}…`);
}
