/** Where the service is, and what every request to it says: who asks, and the key. */
export interface Endpoint {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}
