import type { Answer } from '../../contract/types/index.js';

/** An item in the shape of a model's vendor. */
export type ModelItem = Answer<'getComputerUse'>['tools'][number];

/** The answer to the calls of a model's turn, with results of the vendor's type. */
export type ComputerUseAnswer<Result = ModelItem> = Omit<Answer<'computerUse'>, 'results'> & {
  results: Result[];
};
