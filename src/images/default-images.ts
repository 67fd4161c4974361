/**
 * The default image of each operating system. For `windows` it is Wine: a licensed Windows is a disk
 * that a user imports under another name.
 */
export const DEFAULT_IMAGES = { linux: 'linux', windows: 'wine' } as const;

/** Resolves the name of an image or recipe: an operating system stands for its default image. */
export function imageNamed(name: string): string {
  return Object.hasOwn(DEFAULT_IMAGES, name)
    ? DEFAULT_IMAGES[name as keyof typeof DEFAULT_IMAGES]
    : name;
}

/** A note on the image for people, or undefined. */
export function imageNote(image: string): string | undefined {
  return image === DEFAULT_IMAGES.windows ? 'runs Windows programs; not Windows itself' : undefined;
}
