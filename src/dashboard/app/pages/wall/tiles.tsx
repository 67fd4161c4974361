import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { request } from '../../api/http.js';
import type { WallComputer } from '../../api/types.js';
import { creatorOf, viewerNames } from '../../components/names.js';
import { StatusMark } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { keepPicture, lastPicture } from '../../state/pictures.js';
import { shownStatus } from '../../state/power.js';
import { isVisible } from '../../state/visibility.js';
import { filterQuery, labelFilter } from './filters.js';

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

/** Computers that are shown as a row, with their last picture. */
const IDLE: readonly string[] = ['stopped', 'error'];

interface TileProps extends Pick<ListProps, 'onSelect'> {
  readonly computer: WallComputer;
  readonly isSelected: boolean;
}

function Tile({ computer, isSelected, onSelect }: TileProps) {
  const status = shownStatus(computer);
  // Each change of one computer shows the list again: the others stay as they are.
  return useMemo(
    () => (
      <li class={IDLE.includes(status) ? 'tile compact' : 'tile'}>
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
          <Labels labels={computer.labels} />
          <Badges computer={computer} />
          {computer.status === 'running' || computer.status_reason === undefined ? null : (
            <p class="clip muted facts" title={computer.status_reason}>
              <bdi>{computer.status_reason}</bdi>
            </p>
          )}
          <p class="clip muted facts">
            {computer.control == null ? (
              <>
                by <bdi>{creatorOf(computer)}</bdi>
              </>
            ) : (
              <span class="driver">
                controlled by <bdi>{computer.control.holder.key_name ?? 'a key'}</bdi>
              </span>
            )}
          </p>
        </div>
      </li>
    ),
    [computer, isSelected, status, onSelect],
  );
}

/** What limits the life of a computer, and who sees its screen. */
function Badges({ computer }: { computer: WallComputer }) {
  const { protected: isProtected, expires_at, captures = [], viewers = [] } = computer;
  if (!isProtected && expires_at == null && captures.length + viewers.length === 0) return null;
  return (
    <p class="facts badges">
      {captures.map((capture) => (
        <span key={capture} class="badge live">
          {capture === 'stream' ? 'streaming' : 'recording'}
        </span>
      ))}
      {viewers.length > 0 && (
        <span class="badge" title={viewerNames(viewers)}>
          {viewers.length} watching
        </span>
      )}
      {isProtected && <span class="badge">protected</span>}
      {expires_at != null && (
        <span class="badge">
          expires <Time at={expires_at} />
        </span>
      )}
    </p>
  );
}

/** Labels, each with a link to the computers that have it. */
export function Labels({ labels }: Pick<WallComputer, 'labels'>) {
  const all = Object.entries(labels);
  if (all.length === 0) return null;
  return (
    <p class="clip facts labels">
      {all.map((label) => (
        <a key={label[0]} href={`/computers${filterQuery({ text: labelFilter(label) })}`}>
          {label.join('=')}
        </a>
      ))}
    </p>
  );
}

/** Time between two pictures of one computer, in milliseconds. */
const LEAST_MS = 1_000;
/** Milliseconds after which a page that was scrolled stands still. */
const STILL_MS = 100;

// Pictures that only pass by are not read, so that the page scrolls smoothly.
let scrolledAt = -STILL_MS;
addEventListener('scroll', () => (scrolledAt = performance.now()), {
  passive: true,
  capture: true,
});

/** The picture of a computer: read only while it can be seen, and at most once a second. */
function Thumbnail({ computer }: { computer: WallComputer }) {
  const { id, seq, status } = computer;
  const frame = useRef<HTMLDivElement>(null);
  const [isSeen, setSeen] = useState(false);
  const [url, setUrl] = useState(() => lastPicture(id));
  const last = useRef({ at: -LEAST_MS, seq: -1 });
  useEffect(() => {
    const observer = new IntersectionObserver((entries) =>
      setSeen(entries.at(-1)?.isIntersecting ?? false),
    );
    if (frame.current !== null) observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  const isOn = status === 'running';
  const isWanted = isSeen && isOn && isVisible.value;
  useEffect(() => {
    if (!isWanted || last.current.seq === seq) return undefined;
    const left = new AbortController();
    const read = async () => {
      last.current.at = performance.now();
      const show = (blob: Blob, of: number) => {
        last.current.seq = of;
        setUrl(keepPicture(id, blob));
      };
      const first = window.start.pictures.get(id);
      const brought = await first?.picture;
      if (left.signal.aborted) return;
      if (first !== undefined) window.start.pictures.delete(id);
      if (first !== undefined && brought !== undefined) show(brought, first.seq);
      if (last.current.seq === seq) return;
      const options = { accept: 'image/jpeg', signal: left.signal };
      const picture = await request('GET', `/computers/${id}/thumbnail?seq=${seq}`, options);
      show(await picture.blob(), seq);
    };
    let timer: ReturnType<typeof setTimeout>;
    const wait = () => {
      const due = Math.max(last.current.at + LEAST_MS, scrolledAt + STILL_MS);
      const pause = due - performance.now();
      if (pause > 0) timer = setTimeout(wait, pause);
      // A picture that fails is not worth a message; the next change brings another.
      else void read().catch(() => undefined);
    };
    wait();
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [id, seq, isWanted]);
  return (
    <div class="thumbnail" ref={frame} data-on={isOn}>
      {url !== undefined ? <img src={url} alt="" /> : <span aria-hidden="true" />}
    </div>
  );
}
