import type { Answer } from '../../contract/types/index.js';
import type { Options } from './input.js';

/** An item in the shape of a model's vendor. */
export type ModelItem = Answer<'getComputerUse'>['tools'][number];

/** The answer to the calls of a model's turn, with results of the vendor's type. */
export type ComputerUseAnswer<Result = ModelItem> = Omit<Answer<'computerUse'>, 'results'> & {
  results: Result[];
};

/** What pictures a model gets, and which secrets it may type. */
export type ComputerUseOptions = Pick<
  Options<'computerUse', 'items'>,
  'format' | 'quality' | 'max_edge' | 'settle' | 'secrets'
>;
