/** The service's URL, and the headers of every request: user agent and key. */
export interface Endpoint {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly socketPath: string | undefined;
  /** Milliseconds without an answer before the service is checked. */
  readonly checkAfterMs: number;
}
