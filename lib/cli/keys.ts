import { Command } from 'commander';
import { limits } from '../contract/limits.ts';
import type { Declined } from '../registry/operator.ts';
import {
  activateWaitingKey,
  idleFrom,
  type KeyRing,
  published,
  publishNewKey,
  type RingKey,
  type RingWritten,
  retireIdleKey,
  retireStolenKey,
  signsFrom,
} from '../tokens/key-ring.ts';
import { accepted, type CommandContext } from './command.ts';
import { type CommonOptions, common } from './options.ts';
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
  show(context, accepted(result).ring, json);
};

const listCommand = (context: CommandContext): Command =>
  common(new Command('list').description('list the published keys, the signing key first')).action(
    async ({ data, json }: CommonOptions) =>
      show(context, await context.registry(data).keyRings.find(), json),
  );

const addCommand = (context: CommandContext): Command =>
  common(
    new Command('add').description('create and publish the next key; it can be activated after ten minutes'),
  ).action(async ({ data, json }: CommonOptions) =>
    showWritten(context, await publishNewKey(context.registry(data)), json),
  );

const activateCommand = (context: CommandContext): Command =>
  common(new Command('activate').argument('<kid>').description('start signing with the next key')).action(
    async (kid: string, { data, json }: CommonOptions) =>
      showWritten(context, await activateWaitingKey(context.registry(data), kid), json),
  );

const freshSeconds = limits.registryCacheSeconds + limits.authoriserCacheSeconds;

const costOfNow = [
  `Within ${freshSeconds} seconds the bus refuses every token that the key signed: each client gets a 401, and must get a new token with its secret.`,
  `For up to ${limits.registryCacheSeconds} seconds, token requests may get 503 and have to be repeated.`,
  `If the key that signs now was not published for ${limits.keyPublishedSeconds / 60} minutes, programs that verify tokens themselves may not know it for ${limits.jwksCacheSeconds / 60} minutes.`,
  'No message is lost, and no secret changes.',
] as const;

const retireCommand = (context: CommandContext): Command =>
  common(new Command('retire').argument('<kid>').description('remove a key once its last token has expired'))
    .option('--now', 'remove it at once, whatever depends on it: if someone else may sign with it')
    .addHelpText('after', `\nWhat --now costs:\n${costOfNow.map(line => `- ${line}`).join('\n')}`)
    .action(async (kid: string, { data, json, now }: CommonOptions & { readonly now?: true }) => {
      const ports = context.registry(data);
      showWritten(context, await (now ? retireStolenKey : retireIdleKey)(ports, kid), json);
      if (now) for (const line of costOfNow) context.terminal.error(`note: ${line}`);
    });

export const keysCommand = (context: CommandContext): Command => {
  const command = new Command('keys').description('keys that sign access tokens');
  for (const make of [listCommand, addCommand, activateCommand, retireCommand])
    command.addCommand(make(context));
  return command;
};
