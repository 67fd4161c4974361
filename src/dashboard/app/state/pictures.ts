/** The last picture of each computer that this page has shown, as the address of a blob. */
const last = new Map<string, string>();

export function lastPicture(id: string): string | undefined {
  return last.get(id);
}

export function keepPicture(id: string, picture: Blob): string {
  const url = URL.createObjectURL(picture);
  URL.revokeObjectURL(last.get(id) ?? '');
  last.set(id, url);
  return url;
}

/** Forgets pictures of computers that are no longer there. */
export function forgetPictures(present: ReadonlyMap<string, unknown>): void {
  for (const [id, url] of last) {
    if (present.has(id)) continue;
    URL.revokeObjectURL(url);
    last.delete(id);
  }
}
