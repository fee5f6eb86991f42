// npm run fuzz: generated requests against a local service until at least 20,000 were sent (or the number given).

import { startService, temporaryFolder } from '../support/service-process.ts';
import { fuzz, type Round, schemathesis } from './schemathesis.ts';

const rounds: readonly Omit<Round, 'seed'>[] = [
  { api: 'bus', examples: 60, phases: 'examples,coverage,fuzzing' },
  { api: 'portal', examples: 200, phases: 'examples,coverage,fuzzing' },
];

const main = async (wanted: number): Promise<number> => {
  const program = schemathesis();
  if (program === undefined) {
    console.log(
      'Skipped: schemathesis is not installed (python3 -m venv .fuzz && .fuzz/bin/pip install schemathesis).',
    );
    return 0;
  }
  const folder = temporaryFolder();
  const service = await startService(folder.path, '--no-limits');
  let sent = 0;
  let failed = 0;
  try {
    for (let seed = 1; sent < wanted && failed === 0; seed += 1) {
      for (const round of rounds) {
        const { requests, code, output } = await fuzz(
          program,
          service,
          { ...round, seed },
          `${folder.path}-fuzz`,
        );
        sent += requests;
        if (code !== 0) failed += 1;
        console.log(
          `${round.api}, seed ${seed}: ${requests} requests, ${code === 0 ? 'all as described' : 'FAILED'}`,
        );
        if (code !== 0) console.log(output.slice(-8000));
      }
    }
  } finally {
    await service.stop();
    folder.remove();
  }
  console.log(`${sent} requests, ${failed} failed rounds`);
  return failed === 0 && sent >= wanted ? 0 : 1;
};

void main(Number(process.argv[2] ?? 20_000)).then(code => {
  process.exitCode = code;
});
