/** Why this browser cannot play the sound; undefined if it can. */
export function whyNoSound(): Promise<string | undefined>;

/** Plays the sound of a computer until the function returned is called, or `onEnd` with a reason. */
export function playSound(
  address: URL,
  ticket: string,
  onEnd: (reason: string) => void,
): () => void;
