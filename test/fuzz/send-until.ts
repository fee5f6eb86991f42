import type { Outcome, Round } from './schemathesis.ts';

/** What every seed sends: each API once. */
export const rounds: readonly Omit<Round, 'seed'>[] = [
  { api: 'bus', examples: 60, phases: 'examples,coverage,fuzzing' },
  { api: 'portal', examples: 200, phases: 'examples,coverage,fuzzing' },
];

/** No campaign needs more seeds: whatever sends so little is broken. */
const mostSeeds = 50;

export interface Sent {
  readonly requests: number;
  readonly failures: readonly string[];
}

const error = ({ code, requests, output }: Outcome): string | undefined => {
  if (code !== 0) return output.slice(-8000);
  // Nothing sent is nothing shown, whatever the tool's exit code says.
  return requests === 0
    ? `Nothing was sent, or the tool says so in new words:\n${output.slice(-2000)}`
    : undefined;
};

/** Rounds of generated requests until enough were sent or one failed. */
export const sendUntil = async (
  wanted: number,
  run: (round: Round) => Promise<Outcome>,
  tell: (line: string) => void,
): Promise<Sent> => {
  let requests = 0;
  const failures: string[] = [];
  for (let seed = 1; seed <= mostSeeds && requests < wanted && failures.length === 0; seed += 1) {
    for (const round of rounds) {
      const outcome = await run({ ...round, seed });
      const failure = error(outcome);
      requests += outcome.requests;
      if (failure !== undefined) failures.push(failure);
      tell(
        `${round.api}, seed ${seed}: ${outcome.requests} requests (${outcome.signatures} signed), ${failure === undefined ? 'all as described' : 'FAILED'}`,
      );
    }
  }
  if (failures.length === 0 && requests < wanted)
    failures.push(`Only ${requests} of ${wanted} requests were sent.`);
  return { requests, failures };
};
