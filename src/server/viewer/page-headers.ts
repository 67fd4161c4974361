import type { FastifyReply } from 'fastify';

/**
 * Headers of a page: it loads only the service's own files, has no inline code or styles, and cannot
 * be framed. `directives` are further ones of its content security policy.
 */
export function addPageHeaders(reply: FastifyReply, directives: readonly string[]): void {
  addPolicy(reply, [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ...directives,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
}

/** Headers of a page with a whole content security policy of its own. */
export function addPolicy(reply: FastifyReply, policy: readonly string[]): void {
  const isFramed = policy.includes("frame-ancestors 'self'");
  reply
    .header('content-security-policy', policy.join('; '))
    .header('referrer-policy', 'no-referrer')
    .header('x-frame-options', isFramed ? 'SAMEORIGIN' : 'DENY')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cross-origin-resource-policy', 'same-origin');
}
