import {
  GetAliasCommand,
  GetFunctionConfigurationCommand,
  LambdaClient,
  UpdateAliasCommand,
} from '@aws-sdk/client-lambda';
import { paginateGetParameterHistory, SSMClient } from '@aws-sdk/client-ssm';
import { type EnvironmentName, resourceNames } from '../../contract/environments.ts';
import { liveAlias } from '../../contract/functions.ts';
import { errorMessage } from '../../local/engines/machine.ts';
import { clientConfig } from '../../platform/aws/clients.ts';
import { unlessError } from '../../platform/aws/table.ts';
import { isJsonObject } from '../../platform/json/value.ts';
import type { Env } from '../../wiring/env.ts';
import { command } from '../frame/command.ts';
import { CommandRefused } from '../frame/failures.ts';
import { deployedOptions, option, withDefault } from '../frame/options.ts';

export type Versions = Readonly<Record<string, string>>;

export interface Released {
  readonly at: string;
  readonly versions: Versions;
}

interface Move {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/**
 * What goes back from the versions that serve now to the release before them.
 *
 * @param releases the oldest first
 */
export const planRollback = (
  releases: readonly Released[],
  serving: Versions,
): { to: Released; moves: readonly Move[] } | undefined => {
  const serves = ({ versions }: Released) =>
    Object.entries(versions).every(([name, version]) => serving[name] === version);
  const partly = ({ versions }: Released, index: number) =>
    Object.entries(versions).every(([name, version]) =>
      [version, releases[index - 1]?.versions[name]].includes(serving[name]),
    );
  // What serves was released last, unless somebody rolled back before.
  const whole = releases.findLastIndex(serves);
  // Or a rollback moved some functions and not others: then it goes on to the same release.
  const at = whole >= 0 ? whole : releases.findLastIndex(partly);
  const movesTo = ({ versions }: Released): readonly Move[] =>
    Object.entries(serving).flatMap(([name, from]) => {
      const to = versions[name];
      if (to === undefined || to === from) return [];
      return [{ name, from, to }];
    });
  const to = releases.slice(0, Math.max(at, 0)).findLast(release => movesTo(release).length > 0);
  return to && { to, moves: movesTo(to) };
};

const versionsIn = (text: string | undefined): Versions => {
  const read: unknown = JSON.parse(text ?? '{}');
  const entries = Object.entries(isJsonObject(read) ? read : {});
  return Object.fromEntries(entries.map(([name, version]) => [name, String(version)]));
};

const releasesOf = async (env: Env, Name: string): Promise<readonly Released[]> => {
  const client = new SSMClient(clientConfig(env, 'SSM'));
  const found: Released[] = [];
  for await (const { Parameters = [] } of paginateGetParameterHistory({ client }, { Name }))
    for (const { Value, LastModifiedDate } of Parameters)
      found.push({ at: LastModifiedDate?.toISOString() ?? '', versions: versionsIn(Value) });
  return found;
};

const aliasesOf = (env: Env, environment: EnvironmentName) => {
  const client = new LambdaClient(clientConfig(env, 'LAMBDA'));
  const nameOf = (name: string) => `sombus-${environment}-${name}`;
  return {
    /** The version that serves. @throws CommandRefused while CodeDeploy moves the alias */
    async serving(name: string): Promise<string> {
      const alias = await client.send(
        new GetAliasCommand({ FunctionName: nameOf(name), Name: liveAlias }),
      );
      if (Object.keys(alias.RoutingConfig?.AdditionalVersionWeights ?? {}).length > 0)
        throw new CommandRefused(
          `A release of ${nameOf(name)} is in progress: CloudFormation takes it back with aws ` +
            'cloudformation cancel-update-stack.',
        );
      return alias.FunctionVersion ?? '';
    },
    async exists({ name, to: Qualifier }: Move): Promise<boolean> {
      const get = new GetFunctionConfigurationCommand({ FunctionName: nameOf(name), Qualifier });
      return (await unlessError(client.send(get), 'ResourceNotFoundException')) !== undefined;
    },
    async move({ name, to: FunctionVersion }: Move): Promise<void> {
      const FunctionName = nameOf(name);
      await client.send(new UpdateAliasCommand({ FunctionName, Name: liveAlias, FunctionVersion }));
    },
  };
};

const afterwards =
  'The stack still names the newer code. Deploy the next release with -c atOnce=true: ' +
  'CodeDeploy would not find the versions that it expects.';

/** What serves now, and what goes back from it. @throws CommandRefused if nothing can */
const planned = async (env: Env, environment: EnvironmentName, api: 'bus' | 'portal') => {
  const releases = await releasesOf(env, resourceNames(environment).releasedParameter(api));
  const aliases = aliasesOf(env, environment);
  const names = Object.keys(releases.at(-1)?.versions ?? {});
  const serving = await Promise.all(
    names.map(async name => [name, await aliases.serving(name)] as const),
  );
  const plan = planRollback(releases, Object.fromEntries(serving));
  if (!plan)
    throw new CommandRefused(`There is no release of the ${api} before the one that serves.`);
  const exist = await Promise.all(plan.moves.map(aliases.exists));
  const gone = plan.moves.filter((_, index) => !exist[index]);
  if (gone.length > 0)
    throw new CommandRefused(
      `Of the release before, ${gone.map(({ name }) => name).join(', ')} is gone.`,
    );
  return { ...plan, aliases };
};

/** The code of the release before, in seconds, and without its sources. */
export const rollback = command({
  usage: 'rollback',
  description:
    'give all requests back to the code of the release before; repeated, to the one before that',
  target: 'none',
  options: {
    ...deployedOptions,
    api: withDefault(option('--api <api>', 'whose functions', ['bus', 'portal']), 'bus'),
    confirm: option<true>('--confirm', 'do it: without it, nothing is changed'),
  },
  help: `
It moves the alias "${liveAlias}" of each function that the last release changed. Tables, queues,
roles, scheduled functions and the portal's own calls stay as they are.`,
  async run({ terminal, options, print }) {
    const { to, moves, aliases } = await planned(process.env, options.environment, options.api);
    if (!options.confirm)
      throw new CommandRefused(`The ${options.api} would go back to the release of ${to.at}:`, [
        ...moves.map(({ name, from, to: version }) => `${name}: version ${from} to ${version}`),
        'If you want that, repeat the command with --confirm.',
      ]);
    const settled = await Promise.allSettled(moves.map(aliases.move));
    const failed = moves.flatMap(({ name }, index) => {
      const one = settled[index];
      if (one?.status === 'rejected') return [`${name}: ${errorMessage(one.reason)}`];
      return [];
    });
    const moved = moves.filter((_, index) => settled[index]?.status === 'fulfilled');
    print(moved);
    if (moved.length > 0) terminal.error(`note: ${afterwards}`);
    if (failed.length > 0)
      throw new CommandRefused(
        `${failed.length} of ${moves.length} functions did not go back. Repeat the command: ` +
          'it goes on to the same release.',
        failed,
      );
  },
});
