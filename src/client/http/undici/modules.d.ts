// undici's modules for requests, by their paths: the package has no types for them.
declare module 'undici/lib/dispatcher/pool.js' {
  // biome-ignore lint/style/noDefaultExport: it is undici's
  export { Pool as default } from 'undici';
}
declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher, Pool } from 'undici';

  // biome-ignore lint/style/noDefaultExport: it is undici's
  export default function request(
    this: Pool,
    options: Dispatcher.RequestOptions,
  ): Promise<Dispatcher.ResponseData>;
}
declare module 'undici/lib/core/connect.js' {
  // biome-ignore lint/style/noDefaultExport: it is undici's
  export { buildConnector as default } from 'undici';
}
