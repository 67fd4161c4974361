/** The name of a TLS proxy in front of a service. */
export const PROXY_HOST = 'vc.example.com';
