/** One connection of a bus, as environment variables name it. */
export interface Account {
  readonly baseUrl: string;
  readonly workspace: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

const variable = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`Set ${name}.`);
  return value;
};

export const account = (): Account => ({
  baseUrl: variable('SOMBUS_BASE_URL'),
  workspace: variable('SOMBUS_WORKSPACE'),
  clientId: variable('SOMBUS_CLIENT_ID'),
  clientSecret: variable('SOMBUS_CLIENT_SECRET'),
});

const requestToken = async ({ baseUrl, clientId, clientSecret }: Account) => {
  const pair = [clientId, clientSecret].map(encodeURIComponent).join(':');
  const response = await fetch(`${baseUrl}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  if (!response.ok) throw new Error(`No token: ${await response.text()}`);
  return (await response.json()) as { readonly access_token: string; readonly expires_in: number };
};

/** Gives the same token until shortly before it ends; `fresh` asks for a new one at once. */
export const tokens = (of: Account) => {
  let token = '';
  let renewAt = 0;
  return async (fresh = false): Promise<string> => {
    if (fresh || Date.now() >= renewAt) {
      const issued = await requestToken(of);
      token = issued.access_token;
      renewAt = Date.now() + (issued.expires_in - 60) * 1000;
    }
    return token;
  };
};
