import { join } from 'node:path';
import { fuzz, howToInstall, schemathesis } from '../fuzz/schemathesis.ts';
import { type ServiceProcess, startService, temporaryFolder } from '../support/service-process.ts';
import { describeUnless } from '../support/where.ts';

const program = schemathesis();
const folder = temporaryFolder();
let service: ServiceProcess | undefined;

beforeAll(async () => {
  if (program !== undefined) service = await startService(join(folder.path, 'data'), '--no-limits');
});

afterAll(async () => {
  await service?.stop();
  folder.remove();
});

const lacking = program === undefined ? 'needs schemathesis' : undefined;

/** A first look; the whole campaign is `npm run fuzz`, which `npm run check` runs. */
describeUnless(lacking, 'generated requests', () => {
  test.each(['bus', 'portal'] as const)(
    'get no server error and no undescribed response from the %s',
    async api => {
      if (program === undefined || !service) throw new Error(howToInstall);
      const round = { api, seed: 1, examples: 5, phases: 'examples,fuzzing' };
      const { code, requests, failures, signatures, output } = await fuzz(
        program,
        service,
        round,
        join(folder.path, 'fuzz'),
      );
      expect([code, failures, code === 0 ? '' : output.slice(-4000)]).toEqual([0, 0, '']);
      expect(requests).toBeGreaterThan(10);
      if (api === 'bus') expect(signatures).toBeGreaterThan(0);
      console.log(`${api}: ${requests} generated requests, all answered as described`);
    },
  );
});
