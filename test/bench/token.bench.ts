import { hashSecret } from '../../lib/access/registry/connection.ts';
import { issueToken } from '../../lib/bus/tokens/issue-token.ts';
import { connection, now, origin } from '../bus/tokens/tokens.ts';
import { noTestRuns } from '../support/fakes/test-runs.ts';
import {
  countingIds,
  credentialsOf,
  frozenClock,
  signerOf,
  uncounted,
  unrecorded,
} from '../support/identity-fakes.ts';

const mostApart = 1.5;
const rounds = 4_000;
const secret = 'sbs_current';
const issuedAt = '2026-05-04T08:00:00.000Z';
const credential = {
  version: 2,
  current: { hash: hashSecret(secret), issuedAt },
  previous: { hash: hashSecret('sbs_previous'), until: now + 60_000 },
};
const credentials = credentialsOf({
  connection: { ...connection, credentialVersion: 2 },
  credential,
});
const issue = issueToken(
  {
    clock: frozenClock(),
    ids: countingIds(),
    credentials,
    tokenRequests: uncounted,
    recorder: unrecorded,
    signer: signerOf(),
    testRuns: noTestRuns,
  },
  origin,
);

const attempts = {
  unknown: { clientId: 'cddddddddddda', clientSecret: secret },
  malformed: { clientId: 'admin', clientSecret: secret },
  wrong: { clientId: connection.id, clientSecret: `${secret.slice(0, -1)}X` },
  empty: { clientId: connection.id, clientSecret: '' },
};

const main = async (): Promise<void> => {
  const times = Object.entries(attempts).map(([name, client]) => ({
    name,
    client,
    list: [] as number[],
  }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { client, list } of times) {
      const start = process.hrtime.bigint();
      await issue({ ...client, counted: false });
      list.push(Number(process.hrtime.bigint() - start) / 1000);
    }
  }
  const medians = times.map(
    ({ name, list }) => [name, list.sort((a, b) => a - b)[rounds / 2] ?? 0] as const,
  );
  const values = medians.map(([, median]) => median);
  const ratio = Math.max(...values) / Math.min(...values);
  const columns = medians.map(([name, median]) => `${name} ${median.toFixed(1)} µs`);
  process.stdout.write(
    `token: a refusal by its cause: ${columns.join(', ')}; ${ratio.toFixed(2)} times, at most ${mostApart}\n`,
  );
  if (ratio > mostApart) process.exitCode = 1;
};

void main();
