import { Command } from 'commander';
import type { Declined } from '../registry/operator.ts';
import { idleFrom, type KeyRing, published, type RingKey, signsFrom } from '../tokens/key-ring.ts';
import { activateWaitingKey, publishNewKey, type RingWritten, retireIdleKey } from '../tokens/rotate-keys.ts';
import { type CommandContext, type CommonOptions, common, Refused } from './command.ts';
import { printTable } from './print.ts';

const instant = (milliseconds: number | undefined): string | null =>
  milliseconds ? new Date(milliseconds).toISOString() : null;

const record = (key: RingKey): object => ({
  kid: key.kid,
  state: key.state,
  published_at: instant(key.publishedAt),
  activate_from: key.state === 'next' ? instant(signsFrom(key)) : null,
  retire_from: key.state === 'previous' ? instant(idleFrom(key)) : null,
});

const show = ({ terminal }: CommandContext, ring: KeyRing, json: boolean): void =>
  printTable(terminal, published(ring).map(record), json);

const showWritten = (context: CommandContext, result: RingWritten | Declined, json: boolean): void => {
  if (result.kind === 'declined') throw new Refused(result.reason);
  show(context, result.ring, json);
};

const listCommand = (context: CommandContext): Command =>
  common(new Command('list').description('the published keys, the signing one first')).action(
    async ({ data, json }: CommonOptions) =>
      show(context, await context.registry(data).keyRings.find(), json),
  );

const addCommand = (context: CommandContext): Command =>
  common(
    new Command('add').description('make and publish the next key: it may sign ten minutes later'),
  ).action(async ({ data, json }: CommonOptions) =>
    showWritten(context, await publishNewKey(context.registry(data)), json),
  );

const activateCommand = (context: CommandContext): Command =>
  common(new Command('activate').argument('<kid>').description('sign with the next key from now on')).action(
    async (kid: string, { data, json }: CommonOptions) =>
      showWritten(context, await activateWaitingKey(context.registry(data), kid), json),
  );

const retireCommand = (context: CommandContext): Command =>
  common(
    new Command('retire').argument('<kid>').description('take a key out whose last token has expired'),
  ).action(async (kid: string, { data, json }: CommonOptions) =>
    showWritten(context, await retireIdleKey(context.registry(data), kid), json),
  );

/** `sombus keys list|add|activate|retire`. */
export const keysCommand = (context: CommandContext): Command => {
  const command = new Command('keys').description('the keys that sign access tokens');
  for (const make of [listCommand, addCommand, activateCommand, retireCommand])
    command.addCommand(make(context));
  return command;
};
