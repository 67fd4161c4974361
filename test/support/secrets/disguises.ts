/** How a text may stand in a file or process: as it is, in hex, and in base64 behind other bytes. */
export function disguises(text: string): string[] {
  const bytes = Buffer.from(text);
  const hex = bytes.toString('hex');
  const encoded = [0, 1, 2].map((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]);
    const first = Math.ceil((offset * 8) / 6);
    // Whole characters of the text alone: what comes after it changes the last one.
    const last = Math.floor((shifted.length * 8) / 6);
    return shifted.toString('base64').slice(first, last);
  });
  const urls = encoded.map((one) => one.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([text, hex, hex.toUpperCase(), ...encoded, ...urls])];
}
