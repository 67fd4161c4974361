/** Milliseconds before each further attempt. */
const PAUSES_MS = [100, 300, 1_000, 3_000];

/**
 * Loads a part of the page, if necessary in several attempts: a browser gives up all requests in
 * progress when the host's network changes, for example when a container starts.
 */
export async function load<T>(part: () => Promise<T>, pauses = PAUSES_MS): Promise<T> {
  for (const pause of pauses) {
    try {
      return await part();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  return part();
}
