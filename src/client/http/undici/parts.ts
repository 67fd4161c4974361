/**
 * undici's modules for requests. The whole package, with fetch, caches and mocks, takes three times
 * as long to load.
 */
export { default as request } from 'undici/lib/api/api-request.js';
export { default as createConnector } from 'undici/lib/core/connect.js';
export { default as Pool } from 'undici/lib/dispatcher/pool.js';
