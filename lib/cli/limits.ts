import { WAFV2Client } from '@aws-sdk/client-wafv2';
import { Command, Option } from 'commander';
import { clientConfig } from '../adapters/aws/client-config.ts';
import { awsFirewall } from '../adapters/aws/firewall.ts';
import { type EnvironmentName, environments } from '../contract/environments.ts';
import { resourceNames } from '../contract/resource-names.ts';
import type { Firewall } from '../ports/operator/firewall.ts';
import type { CommandContext } from './command-context.ts';
import { wholeNumber } from './options.ts';
import { printTable } from './print.ts';

interface LimitsOptions {
  readonly environment: EnvironmentName;
  readonly json: boolean;
}

const minuteMilliseconds = 60_000;
/** AWS WAF keeps samples for three hours. */
const mostMinutes = 180;

/** The firewalls of an environment, in the account and region of the operator's AWS credentials. */
const deployedFirewall = (environment: EnvironmentName): Firewall => {
  const { firewall } = resourceNames(environment);
  return awsFirewall(new WAFV2Client(clientConfig(process.env, 'WAFV2')), [
    firewall('bus'),
    firewall('portal'),
  ]);
};

const onEnvironment = (command: Command): Command =>
  command
    .addOption(
      new Option('--environment <name>', 'the deployed environment')
        .choices(Object.keys(environments))
        .makeOptionMandatory(),
    )
    .option('--json', 'print JSON', false);

/** `sombus limits blocked|sampled`: what the firewall of a deployed environment does now. */
export const limitsCommand = (
  { terminal }: CommandContext,
  firewallOf: (environment: EnvironmentName) => Firewall = deployedFirewall,
  now: () => number = Date.now,
): Command => {
  const blocked = onEnvironment(new Command('blocked'))
    .description('the addresses that a rate rule refuses at this moment')
    .action(async ({ environment, json }: LimitsOptions) => {
      printTable(terminal, await firewallOf(environment).blocked(), json);
    });
  const sampled = onEnvironment(new Command('sampled'))
    .description('a sample of the requests that rules of the firewall matched, newest first')
    .option('--minutes <number>', 'how far back', wholeNumber(1, mostMinutes), 15)
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
    .description('what the firewall of a deployed environment does now')
    .addCommand(blocked)
    .addCommand(sampled);
};
