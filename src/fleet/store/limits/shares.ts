/** What the limited keys of an owner may have of a limit. */
export function limitedShare(limit: number): { readonly ofOne: number; readonly ofAll: number } {
  return { ofOne: Math.ceil(limit / 2), ofAll: Math.ceil((limit * 3) / 4) };
}
