import { startSqsEngine } from '../../support/engine-servers.ts';

/* A queue engine as a process of its own, to be killed: prints its endpoint. */
const [path = ''] = process.argv.slice(2);
startSqsEngine({ path }).then(
  ({ endpoint }) => process.stdout.write(`${endpoint}\n`),
  (error: unknown) => {
    process.stderr.write(`${error}\n`);
    process.exitCode = 1;
  },
);
