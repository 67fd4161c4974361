import { ApiError } from '../../contract/errors.js';
import { allowedBy, type ComputerNetwork } from '../../contract/resources/network.js';
import { withoutContained } from '../../lib/net/cidr.js';
import { parseDestination } from '../../lib/net/destination.js';

/** Addresses of domains in a set at most: a domain whose addresses change all the time fills it. */
const MOST_ADDRESSES = 4096;

/** The nft set with the addresses of the domains that are allowed with this port. */
const setName = (port: number | undefined) => (port === undefined ? 'names' : `names_${port}`);

/** Whether the list has domains: then their names, and no others, are resolved. */
export function hasDomains(network: ComputerNetwork): boolean {
  return destinationsOf(network).some((destination) => 'domain' in destination);
}

/** For a list with domains on a service without internet, whose computers have no name server. */
export function resolvesNoNames(): ApiError {
  const message = 'The service resolves no names for its computers: it runs with --no-internet.';
  return new ApiError('unsupported', message, { remedy: 'Use addresses in place of domains.' });
}

/** The definitions of the nft sets that {@link allowRules} use. */
export function allowSets(network: ComputerNetwork): string[] {
  return ports(domainsOf(network)).map(
    (port) => `set ${setName(port)} { type ipv4_addr; size ${MOST_ADDRESSES}; }`,
  );
}

/** nft rules that return for packets to what the network allows, whose operator's rules come next. */
export function allowRules(network: ComputerNetwork): string[] {
  const networks = destinationsOf(network).filter((one) => 'network' in one);
  return [
    ...ports(networks).map((port) => {
      const ofPort = networks.filter((one) => one.port === port).map((one) => one.network);
      return `ip daddr { ${withoutContained(ofPort).join(', ')} } ${onPort(port)}return`;
    }),
    ...ports(domainsOf(network)).map((port) => `ip daddr @${setName(port)} ${onPort(port)}return`),
  ];
}

/**
 * Configuration of dnsmasq for the domains of a list. It asks `upstream` for them, refuses all other
 * names, which its log on stderr has, and adds the addresses that it answers with to the sets in the
 * nft `table`.
 */
export function nameServerSettings(
  network: ComputerNetwork,
  { table, upstream }: { readonly table: string; readonly upstream: readonly string[] },
): string[] {
  const domains = domainsOf(network);
  const names = [...new Set(domains.map(({ domain }) => domain))];
  return [
    // It keeps its rights: those of its container or namespace, and no other user exists there.
    ...['user=root', 'group=', 'pid-file=', 'log-facility=-', 'log-queries'],
    ...['no-hosts', 'no-resolv', 'filter-AAAA', 'max-tcp-connections=4'],
    ...names.flatMap((name) => upstream.map((address) => `server=/${name}/${address}`)),
    // dnsmasq uses the longest domain that matches, so a set of a shorter one is repeated.
    ...names.map((name) => {
      const matching = domains.filter(
        ({ domain }) => name === domain || name.endsWith(`.${domain}`),
      );
      const sets = ports(matching).map((port) => `4#inet#${table}#${setName(port)}`);
      return `nftset=/${name}/${sets.join(',')}`;
    }),
  ];
}

function destinationsOf(network: ComputerNetwork) {
  return (allowedBy(network) ?? []).map(parseDestination);
}

function domainsOf(network: ComputerNetwork) {
  return destinationsOf(network).filter((one) => 'domain' in one);
}

function ports(destinations: readonly { readonly port: number | undefined }[]) {
  return [...new Set(destinations.map(({ port }) => port))];
}

function onPort(port: number | undefined): string {
  return port === undefined ? '' : `meta l4proto { tcp, udp } th dport ${port} `;
}
