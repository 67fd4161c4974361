const PAGE_HOST = /^vc-[0-9a-f]{32}\.localhost$/;
const LOOPBACK = /^((.+\.)?localhost|127(\.\d{1,3}){3}|\[::1\])\.?$/;

/**
 * Whether it is a host name of a web page without TLS. Browsers resolve it to loopback. Each link has a
 * new one, which ends with the service: another user of the host can take the port of a stopped service,
 * and what that user leaves in a browser belongs to a name that no service has any more. Browsers also
 * send the cookies of a name to all its ports, so it is known to nobody else.
 */
export function isPageHost(name: string): boolean {
  return PAGE_HOST.test(name);
}

/** Whether it is an address or name of loopback. IPv6 is in brackets, as in a URL. */
export function isLoopbackHost(name: string): boolean {
  return LOOPBACK.test(name);
}

/**
 * The base address of a page that the service has given a link to: the client's own, because the service
 * may see another one behind a proxy or tunnel, with the host name of the page.
 */
export function pageBaseUrl(baseUrl: string, link: string): string {
  const base = new URL(baseUrl);
  const { hostname = '' } = URL.canParse(link) ? new URL(link) : {};
  const isPlain = base.protocol === 'http:' && isLoopbackHost(base.hostname);
  if (!isPlain || !isPageHost(hostname)) return baseUrl;
  base.hostname = hostname;
  return base.href.replace(/\/$/, '');
}
