import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs a program to its end: its exit code, and what it wrote on both streams, in the order it came. */
export const outputOf = async (program: string, args: readonly string[], options: SpawnOptions) => {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', chunk => {
      output += chunk;
    });
  }
  const [code] = await once(child, 'close');
  return { code: code as number | null, output };
};
