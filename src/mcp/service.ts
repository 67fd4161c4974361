import type { Answer, BodyInput, OperationName, QueryInput } from '../contract/types/index.js';

/** How the tools reach the service; the client library's `Client` is one. */
export interface Service {
  request<N extends OperationName>(
    operation: N,
    options: {
      readonly params?: Readonly<Record<string, string>>;
      readonly query?: QueryInput<N>;
      readonly body?: BodyInput<N>;
      readonly signal?: AbortSignal;
    },
  ): Promise<Answer<N>>;
}
