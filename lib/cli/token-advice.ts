import type { BusAccount } from './bus-account.ts';

const named =
  'Compare SOMBUS_CLIENT_ID and SOMBUS_CLIENT_SECRET with what was issued; was the secret rotated, the connection revoked, or is it for another environment?';

const demo =
  'These are the demo credentials of the data folder: was the secret rotated, the connection revoked, or does the service of another folder answer there?';

/** What to look at where a bus gave no token, to follow its own words. */
export const tokenAdvice = (
  { status, body }: { readonly status: number; readonly body: { readonly error?: unknown } },
  { baseUrl, isDemo }: BusAccount,
): string => {
  if (status === 404) return ` Is ${baseUrl} the address of a bus?`;
  return body.error === 'invalid_client' ? ` ${isDemo ? demo : named}` : '';
};
