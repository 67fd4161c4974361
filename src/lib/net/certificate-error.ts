/** Codes for certificates whose issuer this machine does not know. */
const UNTRUSTED =
  /^(UNABLE_TO_(GET_ISSUER_CERT(_LOCALLY)?|VERIFY_LEAF_SIGNATURE)|(DEPTH_ZERO_)?SELF_SIGNED_CERT(_IN_CHAIN)?)$/;

/** True if Node.js refused a certificate because it does not trust its issuer. */
export function isUntrusted(code: string): boolean {
  return UNTRUSTED.test(code);
}

/** What the operator of the service does about the certificate of a target; undefined for other errors. */
export function certificateRemedy(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (isUntrusted(code)) {
    return 'To trust its issuer, start the service with NODE_EXTRA_CA_CERTS set to the PEM file of the issuer.';
  }
  if (code === 'CERT_HAS_EXPIRED')
    return 'Renew the certificate of the target, and check the clock of the service.';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'Use a host of its certificate in the URL.';
  return undefined;
}
