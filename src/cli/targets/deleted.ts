import { notFound } from '../errors/cli-error.js';
import { reportOf } from '../errors/report.js';

/** Adds to the error for an unknown computer how to find what was done with a deleted one. */
export async function orDeleted<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    const { code, message, remedy } = reportOf(error);
    if (code !== 'not_found') throw error;
    const deleted =
      'for a deleted one: vc audit --computer ID, with an id of: vc audit --action rm -o wide';
    throw notFound(message, remedy === undefined ? deleted : `${remedy}; ${deleted}`);
  });
}
