import type { OperationTypes } from './generated.js';

export type * from './generated.js';

/*
 * The contract's types for clients. They are the same as those that are inferred from the schemas
 * (test/contract/types.test.ts), but need no zod and have comments in editors.
 */

export type OperationName = keyof OperationTypes;
/** The parameters of a path of the operation. */
export type PathParams<N extends OperationName> = OperationTypes[N]['params'];
/** What a client sends: defaults may be left out. */
export type BodyInput<N extends OperationName> = OperationTypes[N]['body'];
export type QueryInput<N extends OperationName> = OperationTypes[N]['query'];
export type Answer<N extends OperationName> = OperationTypes[N]['answer'];
