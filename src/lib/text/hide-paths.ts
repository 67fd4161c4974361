/** An absolute path of two or more parts that is not part of a word or of a URL to another host. */
const PATH = /(?:\b(?:unix|file):\/\/|(?<![\w.:/]))\/+(?:[^\s/'",:;()]+\/)+([^\s/'",:;()]*)/g;

/**
 * Shortens absolute paths to `…/name`: a message about the service's host may be shown to clients,
 * who need not know where it keeps what.
 */
export function hidePaths(text: string): string {
  return text.replaceAll(PATH, '…/$1');
}
