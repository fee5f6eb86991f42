import { setTimeout as pause } from 'node:timers/promises';

export interface Answer {
  readonly status: number;
  readonly text: string;
}

const maxAttempts = 8;
const maxPauseSeconds = 60;

/** One attempt. An answer that breaks off counts as none: reading its text throws. */
const sendOnce = async (url: string, init: RequestInit) => {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(40_000) });
  return {
    status: response.status,
    text: await response.text(),
    retryAfter: response.headers.get('retry-after'),
  };
};

/** Repeats a request until the answer is final. A wait of more than a minute (a daily quota) is final too. */
const send = async (url: string, init: RequestInit): Promise<Answer> => {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await sendOnce(url, init).catch((fault: unknown) => {
      if (attempt === maxAttempts) throw fault;
    });
    const seconds = Number(answer?.retryAfter ?? 0.2 * 2 ** attempt);
    const passes = !answer || [429, 502, 503, 504].includes(answer.status);
    if (answer && (!passes || attempt === maxAttempts || seconds > maxPauseSeconds)) return answer;
    await pause(seconds * 1000 + Math.random() * 200);
  }
};

/** Ends the program with one sentence: code 1 when the bus refused, 2 when the program cannot run. */
export const giveUp = (words: string, code: 1 | 2 = 1): never => {
  console.error(words);
  process.exit(code);
};

const variable = (name: string): string => process.env[name] || giveUp(`Set ${name}.`, 2);

/** The connection that the environment variables name. */
export const connect = () => {
  const baseUrl = variable('SOMBUS_BASE_URL');
  if (!/^https:|^http:\/\/(127\.0\.0\.1|localhost)[:/]/.test(baseUrl)) giveUp(`${baseUrl} is not https.`, 2);
  const workspace = `${baseUrl}/tenants/${variable('SOMBUS_WORKSPACE')}`;
  const clientId = variable('SOMBUS_CLIENT_ID');
  const pair = [clientId, variable('SOMBUS_CLIENT_SECRET')].map(encodeURIComponent).join(':');
  let token = '';
  let renewAt = 0;

  const renew = async (): Promise<void> => {
    const answer = await send(`${baseUrl}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    if (answer.status !== 200) giveUp(`No token: ${answer.status} ${answer.text}`);
    const issued = JSON.parse(answer.text) as { readonly access_token: string; readonly expires_in: number };
    token = issued.access_token;
    renewAt = Date.now() + (issued.expires_in - 60) * 1000;
  };

  /** Calls a path of the workspace; a refused token is renewed once. */
  const call = async (path: string, body?: string | Buffer): Promise<Answer> => {
    if (Date.now() >= renewAt) await renew();
    const ask = () => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      return send(
        `${workspace}/${path}`,
        body === undefined ? { headers } : { method: 'POST', headers, body },
      );
    };
    const answer = await ask();
    if (answer.status !== 401) return answer;
    await renew();
    return ask();
  };

  return { clientId, call };
};
