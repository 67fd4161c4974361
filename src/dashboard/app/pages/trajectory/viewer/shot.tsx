import { API } from '../../../api/addresses.js';
import { type Point, type PointerInput, percent } from '../model/points.js';
import { type LoadedPicture, usePicture } from './pictures.js';

interface ShotProps {
  readonly title: 'Before' | 'After';
  /** Path of the picture; undefined if there is none. */
  readonly path: string | undefined;
  /** What the picture shows, for who does not see it. */
  readonly description: string;
  readonly input?: PointerInput;
  readonly pointer: Point | undefined;
}

const STILL: PointerInput = { points: [], clicks: 0 };

/** The screen before or after a step, with what the pointer did. */
export function Shot({ title, path, description, input = STILL, pointer }: ShotProps) {
  const { picture, failure } = usePicture(path);
  return (
    <figure class="shot">
      <figcaption>{title}</figcaption>
      <div class="frame">
        {picture !== undefined && (
          <a href={API + path} target="_blank" rel="noreferrer">
            <img
              src={picture.url}
              width={picture.width}
              height={picture.height}
              alt={description}
            />
            <Marks on={picture} input={input} pointer={pointer} />
          </a>
        )}
        {path === undefined && <p>There is no picture: the screen did not answer.</p>}
        {failure !== undefined && <p class="break">{failure.message}</p>}
      </div>
    </figure>
  );
}

interface MarksProps {
  readonly on: LoadedPicture;
  readonly input: PointerInput;
  /** Where the pointer is, if the input does not say it. */
  readonly pointer: Point | undefined;
}

/** Distance between the rings of several clicks. */
const RING = 5;

/**
 * What the pointer does, drawn over a picture: rings and lines of the same size on every screen, in
 * two colors of which one can be seen on any ground.
 */
function Marks({ on, input, pointer }: MarksProps) {
  const { points, clicks, turn } = input;
  const [first, last] = [points[0], points.at(-1)];
  const shapes = first && last && (
    <>
      {points.slice(1).map((point, at) => (
        <line
          // Two places of a drag may be the same.
          key={`${at} ${point.x} ${point.y}`}
          x1={percent(points[at]?.x ?? 0, on.width)}
          y1={percent(points[at]?.y ?? 0, on.height)}
          x2={percent(point.x, on.width)}
          y2={percent(point.y, on.height)}
        />
      ))}
      {Array.from({ length: points.length > 1 ? 1 : clicks }, (_, ring) => (
        <Circle key={ring} at={first} on={on} r={10 + ring * RING} />
      ))}
      <Circle at={last} on={on} r={2} solid />
      {points.length > 1 && <Circle at={last} on={on} r={6} />}
      {turn !== undefined && (
        <svg {...placed(last, on)} class="free" aria-hidden="true">
          <path d="M0 -16V-34M-6 -28 0 -34 6 -28" transform={`rotate(${turn})`} />
        </svg>
      )}
    </>
  );
  return (
    <svg class="marks" aria-hidden="true">
      {shapes && <g class="halo">{shapes}</g>}
      {shapes && <g>{shapes}</g>}
      {pointer && (
        <svg {...placed(pointer, on)} class="free" aria-hidden="true">
          <path class="pointer" d="M0 0V17L4.300 13 7 19.500 9.800 18.300 7 12H12.500Z" />
        </svg>
      )}
    </svg>
  );
}

interface CircleProps {
  readonly at: Point;
  readonly on: LoadedPicture;
  readonly r: number;
  readonly solid?: true;
}

function Circle({ at, on, r, solid }: CircleProps) {
  const [cx, cy] = [percent(at.x, on.width), percent(at.y, on.height)];
  return <circle cx={cx} cy={cy} r={r} class={solid && 'solid'} />;
}

function placed({ x, y }: Point, { width, height }: LoadedPicture) {
  return { x: percent(x, width), y: percent(y, height) };
}
