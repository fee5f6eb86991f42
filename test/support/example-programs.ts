import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

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

/** Runs a program to its end: its exit code, and what it printed on both streams. */
export const runExample = async (
  [program = '', ...args]: readonly string[],
  variables: NodeJS.ProcessEnv,
): Promise<{ readonly code: number; readonly output: string }> => {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...variables };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', chunk => {
      output += chunk;
    });
  }
  const [code] = await once(child, 'close');
  return { code, output };
};
