const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

/** The position of the quote that closes the string opened at `from`. */
const endOfString = (bytes: Uint8Array, from: number): number => {
  let at = from + 1;
  for (let byte = bytes[at]; byte !== quote && byte !== undefined; byte = bytes[at]) {
    at += byte === backslash ? 2 : 1;
  }
  return at;
};

/** How many members the objects of well-formed JSON name, all together; one pass over the bytes. */
export const countMembers = (bytes: Uint8Array): number => {
  let members = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === quote) at = endOfString(bytes, at);
    else if (bytes[at] === colon) members++;
  }
  return members;
};
