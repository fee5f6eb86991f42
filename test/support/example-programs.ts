import { spawnSync } from 'node:child_process';
import { outputOf } from './service-process.ts';

/** The example on the package's own client, whose cases are in `clients/cases`. */
const typescript = {
  name: 'TypeScript',
  needs: [],
  run: [process.execPath, '--import', 'tsx'],
  file: (kind: string) => `examples/typescript/${kind}.mts`,
};

/** The examples that do everything themselves. */
export const handWritten = [
  {
    name: 'Python',
    needs: ['python3'],
    run: ['python3'],
    file: (kind: string) => `examples/python/${kind}.py`,
  },
  {
    name: 'bash',
    needs: ['bash', 'curl', 'jq'],
    run: ['bash'],
    file: (kind: string) => `examples/bash/${kind}.sh`,
  },
];

/** The languages of the examples, and how each runs one. */
export const languages = [typescript, ...handWritten];

/** The programs that this machine lacks. */
export const missing = (needs: readonly string[]): readonly string[] =>
  needs.filter(program => spawnSync(program, ['--version']).status !== 0);

/** Runs a command to its end: its exit code, and what it printed on both streams. */
export const runExample = async (
  [program = '', ...args]: readonly string[],
  variables: NodeJS.ProcessEnv,
) => {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...variables };
  const { code, output } = await outputOf(program, args, { env });
  return { code, output };
};
