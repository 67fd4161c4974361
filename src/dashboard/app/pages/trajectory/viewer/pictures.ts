import { useEffect, useState } from 'preact/hooks';
import { asFailure, type Failure } from '../../../api/failure.js';
import { request } from '../../../api/http.js';

/** Pictures that are kept: those that are shown, and some around them. */
const MOST = 24;

export interface LoadedPicture {
  readonly url: string;
  readonly width: number;
  readonly height: number;
}

/** By their path; the last used is last. */
const loaded = new Map<string, Promise<LoadedPicture>>();

/** Loads a picture, unless it is kept. */
export function loadPicture(path: string): Promise<LoadedPicture> {
  const found = loaded.get(path) ?? load(path);
  loaded.delete(path);
  loaded.set(path, found);
  const [oldest] = loaded.keys();
  if (oldest !== undefined && loaded.size > MOST) forget(oldest);
  found.catch(() => loaded.delete(path));
  return found;
}

/** Frees the memory of all pictures. */
export function forgetPictures(): void {
  for (const path of [...loaded.keys()]) forget(path);
}

interface PictureState {
  /** The picture; until it is there, the one before it. */
  readonly picture: LoadedPicture | undefined;
  readonly failure: Failure | undefined;
}

export function usePicture(path: string | undefined): PictureState {
  const [state, setState] = useState<PictureState>({ picture: undefined, failure: undefined });
  useEffect(() => {
    if (path === undefined) return undefined;
    let isLeft = false;
    loadPicture(path).then(
      (picture) => !isLeft && setState({ picture, failure: undefined }),
      (error) => !isLeft && setState({ picture: undefined, failure: asFailure(error) }),
    );
    return () => {
      isLeft = true;
    };
  }, [path]);
  return path === undefined ? { picture: undefined, failure: undefined } : state;
}

async function load(path: string): Promise<LoadedPicture> {
  const answer = await request('GET', path, { accept: 'image/png' });
  const url = URL.createObjectURL(await answer.blob());
  const image = new Image();
  image.src = url;
  await image.decode();
  return { url, width: image.naturalWidth, height: image.naturalHeight };
}

function forget(path: string): void {
  const found = loaded.get(path);
  loaded.delete(path);
  found?.then(
    ({ url }) => URL.revokeObjectURL(url),
    () => undefined,
  );
}
