import { MOST_BUDGET } from '../../../contract/constants.js';
import { value } from '../../framework/define.js';
import { number } from '../../input/parse.js';

const budget = (max: number, unit: string) => {
  const parse = number({ min: 1, max, unit });
  return (text: string) => (text === 'none' ? null : parse(text));
};

/** What a key may use in all, as options. */
export const budgetOptions = {
  maxComputers: value(
    '--max-computers <n>',
    'computers it may create in all, or none for no limit',
    budget(MOST_BUDGET.computers, 'computers'),
  ),
  maxHours: value(
    '--max-hours <n>',
    'hours its computers may run, added up, or none for no limit',
    budget(MOST_BUDGET.hours, 'hours'),
  ),
  maxActions: value(
    '--max-actions <n>',
    'actions it may carry out, or none for no limit',
    budget(MOST_BUDGET.actions, 'actions'),
  ),
};

/** The budgets that were given, as fields of a request. */
export function budgetFields({
  maxComputers,
  maxHours,
  maxActions,
}: {
  readonly [Name in keyof typeof budgetOptions]: number | null | undefined;
}) {
  return {
    ...(maxComputers === undefined ? {} : { max_computers: maxComputers }),
    ...(maxHours === undefined ? {} : { max_hours: maxHours }),
    ...(maxActions === undefined ? {} : { max_actions: maxActions }),
  };
}
