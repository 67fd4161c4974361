/**
 * The image that a computer gets by its system when none is named. Windows programs run by Wine:
 * a licensed Windows is a disk that a user imports, under a name of its own.
 */
export const DEFAULT_IMAGES = { linux: 'linux', windows: 'wine' } as const;

/** The image or recipe that is meant: a system's name stands for its default image. */
export function imageNamed(name: string): string {
  return Object.hasOwn(DEFAULT_IMAGES, name)
    ? DEFAULT_IMAGES[name as keyof typeof DEFAULT_IMAGES]
    : name;
}

/** A note on the image for people, or undefined. */
export function imageNote(image: string): string | undefined {
  return image === DEFAULT_IMAGES.windows ? 'runs Windows programs; not Windows itself' : undefined;
}
