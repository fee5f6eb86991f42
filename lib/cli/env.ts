import { Command } from 'commander';
import { dataFiles } from '../local/data-folder.ts';
import { demoStory } from '../local/demo.ts';
import { missingParts } from '../local/env.ts';
import { demoSystemId } from '../local/seed.ts';
import type { CommandContext } from './command.ts';
import { dataOption } from './options.ts';
import { demoSeed, runningAt } from './target.ts';

/** The running service and its demo credentials (`id:secret`), by the names that the README uses. */
const variables = (data: string): Readonly<Record<string, string>> => {
  const { origin, portal } = runningAt(data);
  const base = `${origin}/v1`;
  const seed = demoSeed(data);
  if (seed === undefined) throw missingParts(data, [dataFiles.credentials]);
  const { workspace, producer, consumer } = seed;
  return {
    BASE: base,
    TENANT: `${base}/tenants/${workspace}`,
    QUEUE: `${base}/tenants/${workspace}/consumers/${consumer.client_id}`,
    PORTAL: portal,
    WORKSPACE: workspace,
    PRODUCER: `${producer.client_id}:${producer.client_secret}`,
    CONSUMER: `${consumer.client_id}:${consumer.client_secret}`,
  };
};

/** `sombus example`: a valid story.context of a new story, for trying things out. */
export const exampleCommand = ({ terminal }: CommandContext): Command =>
  new Command('example')
    .description('print a valid message of a new story, as the demo producer would send it')
    .option('--system-id <id>', 'the sender', demoSystemId)
    .action(({ systemId }: { systemId: string }) => terminal.out(demoStory(systemId)[0] ?? ''));

/** `sombus env`: for `eval "$(sombus env)"`, so that a shell knows the running service and its demo credentials. */
export const envCommand = ({ terminal }: CommandContext): Command =>
  dataOption(new Command('env'))
    .description('print the running service and its demo credentials as shell variables')
    .action(({ data }: { data: string }) => {
      for (const [name, value] of Object.entries(variables(data))) terminal.out(`${name}='${value}'`);
    });
