/** An answer of the service that is an error, or no answer at all. */
export class Failure extends Error {
  readonly status: number;
  readonly code: string;
  readonly remedy: string | undefined;
  readonly requestId: string | undefined;

  constructor(
    message: string,
    details: { status: number; code: string; remedy?: string; requestId?: string },
  ) {
    super(message);
    this.status = details.status;
    this.code = details.code;
    this.remedy = details.remedy;
    this.requestId = details.requestId;
  }
}

/** The error of an answer, with the remedy and the id of the request from its headers. */
export async function failureOf(response: Response): Promise<Failure> {
  const { headers, status } = response;
  const body: unknown = await response.json().catch(() => undefined);
  const said = (body as { error?: unknown } | undefined)?.error;
  return new Failure(typeof said === 'string' ? said : `The service answered ${status}.`, {
    status,
    code: headers.get('x-error-code') ?? 'unknown',
    remedy: decode(headers.get('x-error-remedy')),
    requestId: headers.get('x-request-id') ?? undefined,
  });
}

/** Remedies are percent-encoded where they are not ASCII. */
function decode(header: string | null): string | undefined {
  if (header === null) return undefined;
  try {
    return decodeURIComponent(header);
  } catch {
    return header;
  }
}

/** What to show for anything that was thrown. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new Failure(message, { status: 0, code: 'page' });
}
