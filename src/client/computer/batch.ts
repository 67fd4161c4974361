import type { Answer, BatchAction, OperationName } from '../../contract/types/index.js';

type Result = Answer<'batch'>['results'][number];
type Failure = Extract<Result, { readonly success: false; readonly code: string }>;

/** What the operation of an action answers. */
type ResultOf<A extends BatchAction> = A['action'] extends infer Name extends OperationName
  ? Answer<Name>
  : A['action'] extends 'cursor'
    ? Answer<'getCursor'>
    : A['action'] extends 'mouse_down' | 'mouse_up' | 'key_down' | 'key_up'
      ? Answer<'key'>
      : Result;

/** The answer to a batch of `Actions`, in their order. */
export type BatchAnswer<Actions extends readonly BatchAction[]> =
  | {
      readonly success: true;
      readonly results: { readonly [I in keyof Actions]: ResultOf<Actions[I]> };
    }
  | {
      readonly success: false;
      /** The last one failed. */
      readonly results: readonly (ResultOf<Actions[number]> | Failure)[];
    };
