import { startService, temporaryFolder } from '../support/service-process.ts';
import { fuzz, howToInstall, schemathesis } from './schemathesis.ts';
import { sendUntil } from './send-until.ts';

// npm run fuzz: generated requests against a local service until at least 20,000 were sent (or the number given).

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
    const { requests, failures } = await sendUntil(
      wanted,
      round => fuzz(program, service, round, work.path),
      console.log,
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
