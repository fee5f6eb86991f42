import type { Declined } from '../../access/registry/declined.ts';
import type { SealKey } from '../../access/seals/seal.ts';
import {
  replaceSeals,
  rotateSeals,
  type SealRing,
  soleFrom,
} from '../../access/seals/seal-ring.ts';
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
} from '../../bus/tokens/key-ring.ts';
import { limits } from '../../contract/limits.ts';
import { iso } from '../../contract/outside.ts';
import { type CommandGroup, command } from '../frame/command.ts';
import { accepted } from '../frame/failures.ts';
import { option } from '../frame/options.ts';

const instant = (milliseconds: number | undefined): string | null =>
  milliseconds ? iso(milliseconds) : null;

const record = (key: RingKey): object => ({
  kid: key.kid,
  key_id: key.keyId,
  state: key.state,
  published_at: instant(key.publishedAt),
  activate_from: key.state === 'next' ? instant(signsFrom(key)) : null,
  retire_from: key.state === 'previous' ? instant(idleFrom(key)) : null,
});

const keysOf = (ring: KeyRing): readonly object[] => published(ring).map(record);

const written = (result: RingWritten | Declined): readonly object[] =>
  keysOf(accepted(result).ring);

const freshSeconds = limits.registryCacheSeconds + limits.authoriserCacheSeconds;

const costOfNow = [
  `Within ${freshSeconds} seconds the bus refuses every token that the key signed: each ` +
    'client gets a 401, and must get a new token with its secret.',
  `For up to ${limits.registryCacheSeconds} seconds, token requests may get 503 and have to be repeated.`,
  `If the key that signs now was not published for ${limits.keyPublishedSeconds / 60} ` +
    'minutes, programs that verify tokens themselves may not know it for ' +
    `${limits.jwksCacheSeconds / 60} minutes.`,
  'No message is lost, and no secret changes.',
] as const;

/** The sealing keys, the newest first. @param now epoch milliseconds */
const sealRecords = ({ keys }: SealRing, now: number): readonly object[] => {
  const sealing = keys.find(({ sealsFrom }) => sealsFrom <= now) ?? keys[0];
  const [newest] = keys;
  const stateOf = (key: SealKey) => {
    if (key === sealing) return 'active';
    return key === newest ? 'next' : 'previous';
  };
  return keys.map(key => ({
    id: key.id,
    state: stateOf(key),
    seals_from: instant(key.sealsFrom),
    rotate_from: key === newest && keys.length > 1 ? instant(soleFrom(key)) : null,
  }));
};

const costOfSealNow = [
  `Within ${limits.sealCacheSeconds} seconds no receipt handle and no position in a list from ` +
    'before works any more.',
  'Consumers get receipt.expired for what they hold: these messages are delivered again when ' +
    'their time is over.',
  'People who read on in a list of the portal get an error, and begin again.',
] as const;

export const keysCommand: CommandGroup = {
  name: 'keys',
  description: 'keys that sign access tokens, and keys that seal receipt handles',
  commands: [
    {
      usage: 'list',
      description: 'list the published keys, the signing key first',
      run: async ({ ports }) => keysOf(await ports.keyRings.find()),
    },
    {
      usage: 'add',
      description: 'create and publish the next key; it can be activated after ten minutes',
      run: async ({ ports }) => written(await publishNewKey(ports)),
    },
    {
      usage: 'activate <kid>',
      description: 'start signing with the next key',
      run: async ({ ports }, kid) => written(await activateWaitingKey(ports, kid)),
    },
    command({
      usage: 'retire <kid>',
      description: 'remove a key once its last token has expired',
      options: {
        now: option<true>(
          '--now',
          'remove it at once, whatever depends on it: if someone else may sign with it',
        ),
      },
      help: `\nWhat --now costs:\n${costOfNow.map(line => `- ${line}`).join('\n')}`,
      async run({ ports, options: { now }, terminal }, kid) {
        const keys = written(await (now ? retireStolenKey : retireIdleKey)(ports, kid));
        if (now) for (const line of costOfNow) terminal.error(`note: ${line}`);
        return keys;
      },
    }),
    {
      usage: 'seals',
      description:
        'list the keys that seal receipt handles and positions in lists, the newest first',
      run: async ({ ports }) => sealRecords(await ports.sealRings.find(), ports.clock.now()),
    },
    command({
      usage: 'rotate-seals',
      description: 'add a sealing key; what the key before it sealed stays valid',
      options: {
        now: option<true>(
          '--now',
          'remove all other keys at once: if someone else may seal with them',
        ),
      },
      help: `\nWhat --now costs:\n${costOfSealNow.map(line => `- ${line}`).join('\n')}`,
      async run({ ports, options: { now }, terminal }) {
        const ring = accepted(await (now ? replaceSeals : rotateSeals)(ports));
        if (now) for (const line of costOfSealNow) terminal.error(`note: ${line}`);
        return sealRecords(ring, ports.clock.now());
      },
    }),
  ],
};
