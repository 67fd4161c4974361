/** Largest body that is read into memory, in bytes. */
export const BODY_LIMIT = 8 * 1024 * 1024;
