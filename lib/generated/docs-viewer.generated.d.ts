/** SHA-256 of the script, in hexadecimal. */
export const sha256: string;
/** The script: brotli, in base64. */
export const viewer: string;
