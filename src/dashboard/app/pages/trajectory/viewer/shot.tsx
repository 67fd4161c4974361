import { API } from '../../../api/http.js';
import type { Point, PointerInput } from '../model/points.js';
import { Marks } from './marks.js';
import { usePicture } from './pictures.js';

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
