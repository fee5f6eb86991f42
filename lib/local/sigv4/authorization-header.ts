/** What an Authorization header of AWS Signature Version 4 says. */
export interface SigV4Authorization {
  readonly accessKeyId: string;
  /** `<date>/<region>/<service>/aws4_request`. */
  readonly scope: { readonly date: string; readonly region: string; readonly service: string };
  /** Names in lower case, sorted, as they were signed. */
  readonly signedHeaders: readonly string[];
  /** Hexadecimal. */
  readonly signature: string;
}

const form =
  /^AWS4-HMAC-SHA256 +Credential=([A-Z0-9]{16,128})\/(\d{8})\/([a-z0-9-]+)\/([a-z0-9-]+)\/aws4_request, *SignedHeaders=([a-z0-9;_-]+), *Signature=([0-9a-f]{64})$/;

/** Undefined when the header is not one of Signature Version 4 (AWS: "Create a signed AWS API request"). */
export const parseAuthorization = (header: string): SigV4Authorization | undefined => {
  const [, accessKeyId, date, region, service, signed, signature] = form.exec(header) ?? [];
  if (!accessKeyId || !date || !region || !service || !signed || !signature) return undefined;
  return { accessKeyId, scope: { date, region, service }, signedHeaders: signed.split(';'), signature };
};
