import { startService, temporaryFolder } from '../support/service-process.ts';
import { fuzz, howToInstall, type Outcome, type Round, schemathesis } from './schemathesis.ts';

// npm run fuzz: generated requests against a local service until at least 20,000 were sent (or the
// number given).

/** What every seed sends: each API once. */
const rounds: readonly Omit<Round, 'seed'>[] = [
  { api: 'bus', examples: 60, phases: 'examples,coverage,fuzzing' },
  { api: 'portal', examples: 200, phases: 'examples,coverage,fuzzing' },
];

/** No campaign needs more seeds: whatever sends so little is broken. */
const mostSeeds = 50;

const error = ({ code, requests, output }: Outcome): string | undefined => {
  if (code !== 0) return output.slice(-8000);
  // Nothing sent is nothing shown, whatever the tool's exit code says.
  return requests === 0
    ? `Nothing was sent, or the tool says so in new words:\n${output.slice(-2000)}`
    : undefined;
};

/** Rounds of generated requests until enough were sent or one failed. */
const sendUntil = async (
  wanted: number,
  run: (round: Round) => Promise<Outcome>,
): Promise<{ readonly requests: number; readonly failures: readonly string[] }> => {
  let requests = 0;
  const failures: string[] = [];
  for (let seed = 1; seed <= mostSeeds && requests < wanted && failures.length === 0; seed += 1) {
    for (const round of rounds) {
      const outcome = await run({ ...round, seed });
      const failure = error(outcome);
      requests += outcome.requests;
      if (failure !== undefined) failures.push(failure);
      console.log(
        `${round.api}, seed ${seed}: ${outcome.requests} requests (${outcome.signatures} signed), ${failure === undefined ? 'all as described' : 'FAILED'}`,
      );
    }
  }
  if (failures.length === 0 && requests < wanted)
    failures.push(`Only ${requests} of ${wanted} requests were sent.`);
  return { requests, failures };
};

const main = async (wanted: number): Promise<number> => {
  const program = schemathesis();
  if (program === undefined) {
    console.warn(`SKIPPED: no generated request was sent. ${howToInstall}`);
    return 0;
  }
  const folder = temporaryFolder();
  const work = temporaryFolder();
  const service = await startService(folder.path, '--no-limits');
  try {
    const { requests, failures } = await sendUntil(wanted, round =>
      fuzz(program, service, round, work.path),
    );
    for (const failure of failures) console.log(failure);
    console.log(`${requests} requests, ${failures.length} failures`);
    return failures.length === 0 ? 0 : 1;
  } finally {
    await service.stop();
    folder.remove();
    work.remove();
  }
};

void main(Number(process.argv[2] ?? 20_000)).then(code => {
  process.exitCode = code;
});
