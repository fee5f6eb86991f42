import type { Outcome } from './schemathesis.ts';
import { sendUntil } from './send-until.ts';

const outcome = (change: Partial<Outcome>): Outcome => ({
  requests: 1_000,
  failures: 0,
  signatures: 0,
  code: 0,
  output: '',
  ...change,
});

/** A campaign in which every round ends alike, and what it said. */
const campaign = async (wanted: number, change: Partial<Outcome>) => {
  const lines: string[] = [];
  const sent = await sendUntil(
    wanted,
    async () => outcome(change),
    line => lines.push(line),
  );
  return { ...sent, lines };
};

test('rounds go on until enough requests were sent', async () => {
  const { requests, failures, lines } = await campaign(5_000, {});
  expect([requests, failures]).toEqual([6_000, []]);
  expect(lines).toHaveLength(6);
});

test('a failed round ends the campaign, with the output of the tool', async () => {
  const { failures, lines } = await campaign(5_000, { code: 1, output: 'one undescribed answer' });
  expect(failures).toEqual(['one undescribed answer', 'one undescribed answer']);
  expect(lines.join()).toMatch(/FAILED/);
});

test('a round that sends nothing has failed, regardless of its exit code', async () => {
  const { failures } = await campaign(5_000, { requests: 0, output: 'new words' });
  expect(failures[0]).toMatch(/^Nothing was sent.*\nnew words$/);
});

test('a campaign that makes hardly any progress ends as failed', async () => {
  const { failures } = await campaign(5_000, { requests: 1 });
  expect(failures).toEqual(['Only 100 of 5000 requests were sent.']);
});
