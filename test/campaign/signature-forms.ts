import { randomFillSync } from 'node:crypto';
import { derToRaw, rawToDer } from '../../lib/tokens/jws.ts';

/** Converts `count` pairs r ‖ s to DER and back, every fourth with a short r or s; responds with how many came back changed. */
export const convertSignatures = (
  count: number,
): { readonly converted: number; readonly short: number; readonly changed: number } => {
  const raw = new Uint8Array(64);
  let short = 0;
  let changed = 0;
  for (let number = 0; number < count; number += 1) {
    randomFillSync(raw);
    if (number % 4 === 0) {
      const from = number % 8 === 0 ? 0 : 32;
      raw.fill(0, from, from + 1 + ((number >> 3) % 31));
    }
    const der = rawToDer(raw);
    if (der.length < 70) short += 1;
    if (Buffer.compare(derToRaw(der), raw) !== 0) changed += 1;
  }
  return { converted: count, short, changed };
};
