/*
 * What Node.js and browsers do differently. The build of the package for browsers takes browser.ts
 * in place of this file.
 */
export * from './node.js';
