import { startSqsEngine } from '../../../lib/engines/sqs/engine.ts';

/* A queue engine as a process of its own, to be killed: prints its endpoint. */
const [folder = '', compactionBytes = '0'] = process.argv.slice(2);
startSqsEngine({ folder, compactionBytes: Number(compactionBytes) }).then(
  ({ endpoint }) => process.stdout.write(`${endpoint}\n`),
  (error: unknown) => {
    process.stderr.write(`${error}\n`);
    process.exitCode = 1;
  },
);
