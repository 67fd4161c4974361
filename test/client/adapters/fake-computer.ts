import type { ComputerHandle } from '../../../src/client/index.js';
import type { Json } from '../../support/service/service.js';

/** What {@link fakeComputer} was asked to do. */
export interface FakeCall {
  readonly item: Json;
  readonly options: Json;
}

/** A computer that answers calls by a function in place of a service, one call a request. */
export function fakeComputer(
  answer: (item: Json) => object | Promise<object>,
  tools: readonly object[] = [],
): { readonly computer: ComputerHandle; readonly calls: FakeCall[] } {
  const calls: FakeCall[] = [];
  const computer = {
    computerUseTools: async () => tools,
    computerUse: async ([item]: readonly object[], options: object) => {
      calls.push({ item: item as Json, options: options as Json });
      return answer(item as Json);
    },
  };
  return { computer: computer as unknown as ComputerHandle, calls };
}
