import { spawnSync } from 'node:child_process';
import { outputOf } from './output-of.ts';

/** The languages of the examples, and how each runs one. */
export const languages = [
  {
    name: 'TypeScript',
    needs: [],
    run: [process.execPath, '--import', 'tsx'],
    file: (kind: string) => `examples/typescript/${kind}.ts`,
  },
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

/** The programs that this machine lacks. */
export const missing = (needs: readonly string[]): readonly string[] =>
  needs.filter(program => spawnSync(program, ['--version']).status !== 0);

/** Runs a command to its end: its exit code, and what it printed on both streams. */
export const runExample = (
  [program = '', ...args]: readonly string[],
  variables: Readonly<Record<string, string>>,
) => outputOf(program, args, { env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...variables } });
