/** Options of every call. */
export interface CallOptions {
  /** Aborting it ends the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Milliseconds until the answer has to be there, retries included. By default what the operation
   * needs and a margin of three minutes.
   */
  readonly timeoutMs?: number | undefined;
}

/** The options of the call itself, and the fields that are for the service. */
export function splitOptions<O extends CallOptions>({
  signal,
  timeoutMs,
  ...fields
}: O): { readonly call: CallOptions; readonly fields: Omit<O, keyof CallOptions> } {
  return { call: { signal, timeoutMs }, fields };
}
