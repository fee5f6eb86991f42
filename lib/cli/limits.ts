import { WAFV2Client } from '@aws-sdk/client-wafv2';
import { Command, Option } from 'commander';
import { clientConfig } from '../aws/clients.ts';
import { type EnvironmentName, environments, resourceNames } from '../contract/environments.ts';
import { awsFirewall, type Firewall } from '../registry/firewall.wafv2.ts';
import type { CommandContext } from './command.ts';
import { jsonOption, wholeNumber } from './options.ts';
import { printTable } from './print.ts';

interface LimitsOptions {
  readonly environment: EnvironmentName;
  readonly json: boolean;
}

const minuteMilliseconds = 60_000;
/** AWS WAF keeps samples for three hours. */
const maxMinutes = 180;

/** The firewall of an environment, in the account and region of the operator's AWS credentials. */
const deployedFirewall = (environment: EnvironmentName): Firewall => {
  const { firewall } = resourceNames(environment);
  return awsFirewall(new WAFV2Client(clientConfig(process.env, 'WAFV2')), firewall);
};

const onEnvironment = (command: Command): Command =>
  jsonOption(
    command.addOption(
      new Option('--environment <name>', 'the deployed environment')
        .choices(Object.keys(environments))
        .makeOptionMandatory(),
    ),
  );

export const limitsCommand = (
  { terminal }: Pick<CommandContext, 'terminal'>,
  firewallOf: (environment: EnvironmentName) => Firewall = deployedFirewall,
  now: () => number = Date.now,
): Command => {
  const blocked = onEnvironment(new Command('blocked'))
    .description('list the addresses that a rate rule is blocking now')
    .action(async ({ environment, json }: LimitsOptions) => {
      printTable(terminal, await firewallOf(environment).blocked(), json);
    });
  const sampled = onEnvironment(new Command('sampled'))
    .description('list a sample of the requests that matched a firewall rule, newest first')
    .option('--minutes <number>', 'how many minutes to look back', wholeNumber(1, maxMinutes), 15)
    .action(async (options: LimitsOptions & { readonly minutes: number }) => {
      const to = now();
      const from = to - options.minutes * minuteMilliseconds;
      const hits = await firewallOf(options.environment).sampled(new Date(from), new Date(to));
      printTable(
        terminal,
        hits.map(hit => ({ ...hit, at: hit.at.toISOString() })),
        options.json,
      );
    });
  return new Command('limits')
    .description('see what the firewall of a deployed environment blocks')
    .addCommand(blocked)
    .addCommand(sampled);
};
