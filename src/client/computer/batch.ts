import type { Answer, BatchInput } from '../../contract/index.js';
import type { OperationName } from '../../contract/routes.js';

type Result = Answer<'batch'>['results'][number];
type Failure = Extract<Result, { readonly success: false; readonly code: string }>;

/** What the operation of an action answers. */
type ResultOf<A extends BatchInput> = A['action'] extends infer Name extends OperationName
  ? Answer<Name>
  : Result;

/** The answer to a batch of `Actions`, in their order. */
export type BatchAnswer<Actions extends readonly BatchInput[]> =
  | {
      readonly success: true;
      readonly results: { readonly [I in keyof Actions]: ResultOf<Actions[I]> };
    }
  | {
      readonly success: false;
      /** The last one failed. */
      readonly results: readonly (ResultOf<Actions[number]> | Failure)[];
    };
