const tag = /(?:W\/)?("[^"]*")/g;

/** Whether an If-None-Match header names an entity tag, compared weakly (RFC 9110 section 13.1.2). */
export const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === '*' || [...ifNoneMatch.matchAll(tag)].some(([, opaque]) => opaque === etag));
