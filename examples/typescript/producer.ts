// Publishes the message in a file: node producer.ts message.json (Node 20: npx tsx).
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { account, tokens } from './client.ts';

const attempts = 8;

/** Sends the same bytes until the answer is final. */
const publish = async (bytes: Uint8Array): Promise<Response> => {
  const of = account();
  const token = tokens(of);
  const url = `${of.baseUrl}/tenants/${of.workspace}/messages`;
  for (let attempt = 1; ; attempt += 1) {
    const authorization = `Bearer ${await token()}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: Buffer.from(bytes) }).catch(
      () => undefined,
    );
    if (attempt === attempts || (response && ![401, 429, 503].includes(response.status))) {
      if (!response) throw new Error('The bus cannot be reached.');
      return response;
    }
    if (response?.status === 401) await token(true);
    const wait = Number(response?.headers.get('retry-after') ?? 0.2 * 2 ** attempt);
    await pause(wait * 1000 + Math.random() * 200);
  }
};

const main = async (file: string): Promise<void> => {
  const response = await publish(readFileSync(file));
  console.log(response.status, await response.text());
  process.exitCode = response.ok ? 0 : 1;
};

void main(process.argv[2] ?? 'examples/message.json');
