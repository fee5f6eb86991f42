const quote = 0x22;
const backslash = 0x5c;

/** The position of the quote that closes the string opened at `from`. */
const endOfString = (bytes: Uint8Array, from: number): number => {
  let at = from + 1;
  for (let byte = bytes[at]; byte !== quote && byte !== undefined; byte = bytes[at]) {
    at += byte === backslash ? 2 : 1;
  }
  return at;
};

/** How deep well-formed JSON nests and how many members its objects name, all together; one pass over the bytes. */
export const jsonExtent = (bytes: Uint8Array): { depth: number; members: number } => {
  let [depth, open, members] = [0, 0, 0];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at);
    // [ and ], { and }, and the colon; all other bytes outside strings are below or between them.
    else if (byte === 0x5b || byte === 0x7b) depth = Math.max(depth, ++open);
    else if (byte === 0x5d || byte === 0x7d) open--;
    else if (byte === 0x3a) members++;
  }
  return { depth, members };
};
