/** Any web page may read the catalogue: it needs no credentials and tells everybody the same. */
export const crossOrigin = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Retry-After, x-request-id',
} as const;
