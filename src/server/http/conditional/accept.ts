/** Whether an Accept header names the media type. */
export function accepts(accept: string | undefined, type: string): boolean {
  return mediaTypes(accept).includes(type);
}

/** The media types of an Accept header, without their parameters. */
export function mediaTypes(accept: string | undefined): (string | undefined)[] {
  return (accept ?? '').split(',').map((part) => part.split(';')[0]?.trim().toLowerCase());
}
