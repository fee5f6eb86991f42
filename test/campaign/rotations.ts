import { rotateSecret } from '../../lib/access/registry/secrets.ts';
import { activateWaitingKey, publishNewKey, retireIdleKey } from '../../lib/bus/tokens/key-ring.ts';
import type { OperatorPorts } from '../../lib/wiring/operator.ts';
import { call, post, requestToken } from '../support/http-client.ts';
import { linkCommitted } from '../support/messages.ts';
import { newProducer, runningRegistry } from '../support/running-registry.ts';
import { startService, temporaryFolder } from '../support/service-process.ts';

interface Figures {
  clients: number;
  published: number;
  tokens: number;
  /** Publishes that a rotated token got 401 for, and that a new token sent again. */
  renewed: number;
  /** Everything else that went wrong. */
  failures: string[];
}

/** What happens between two steps. */
export interface Pause {
  /** Whether it is longer than anything of before is remembered. */
  readonly outlivesCaches: boolean;
  until(clients: readonly { readonly published: number }[]): Promise<unknown>;
}

interface Client {
  readonly client_id: string;
  readonly systemId: string;
  /** The one from before the rotation: an owner changes it at leisure, within the overlap. */
  readonly client_secret: string;
  authorization: string;
  /** From which moment a token of before may be refused: moments are numbers in their order. */
  rotatedAt: number;
  tokenAt: number;
  published: number;
}

let moments = 0;
const moment = (): number => {
  moments += 1;
  return moments;
};

const token = async (base: string, client: Client, figures: Figures): Promise<void> => {
  const tokenAt = moment();
  const { status, body } = await requestToken(base, client);
  figures.tokens += 1;
  if (status !== 200) figures.failures.push(`token ${status} ${JSON.stringify(body)}`);
  client.authorization = `Bearer ${body['access_token']}`;
  client.tokenAt = tokenAt;
};

/**
 * Publishes one message as a well-made client does: after a 401 it gets a token and sends the same
 * message again.
 */
const publishOne = async (
  base: string,
  url: string,
  client: Client,
  figures: Figures,
): Promise<void> => {
  const message = linkCommitted({
    originating_system: { system_id: client.systemId, system_type: 'ncs' },
  });
  const first = await post(url, client.authorization, message);
  if (first.status === 401 && client.tokenAt <= client.rotatedAt) {
    figures.renewed += 1;
    await token(base, client, figures);
    const second = await post(url, client.authorization, message);
    if (second.status !== 202)
      figures.failures.push(`again ${second.status} ${JSON.stringify(second.body)}`);
  } else if (first.status !== 202) {
    figures.failures.push(`${first.status} ${JSON.stringify(first.body)}`);
  }
  figures.published += 1;
  client.published += 1;
};

/**
 * The operator's ports with a clock that is off by some minutes: nobody waits for hours to pass.
 */
const shifted = (ports: OperatorPorts, minutes: number): OperatorPorts => ({
  ...ports,
  clock: { ...ports.clock, now: () => Date.now() + minutes * 60_000 },
});

const settled = <T extends { kind: string }>(result: T): T => {
  if (result.kind === 'declined') throw new Error(JSON.stringify(result));
  return result;
};

const kidsOf = async (base: string): Promise<string[]> => {
  const { body } = await call(`${base}/oauth/jwks`);
  return (body['keys'] as { kid: string }[]).map(({ kid }) => kid);
};

/**
 * A rotation of the signing key, then one of every secret, then the retirement of the first key.
 */
const rotateEverything = async (
  facts: { ports: OperatorPorts; base: string; clients: readonly Client[]; pause: Pause },
  figures: Figures,
): Promise<void> => {
  const { ports, base, clients } = facts;
  const pause = () => facts.pause.until(clients);
  const [first = ''] = await kidsOf(base);
  await pause();
  const added = settled(await publishNewKey(shifted(ports, -11)));
  const next = added.kind === 'written' ? (added.ring.keys.at(-1)?.kid ?? '') : '';
  await pause();
  settled(await activateWaitingKey(ports, next));
  await pause();
  for (const client of clients) {
    client.rotatedAt = Number.POSITIVE_INFINITY; // from now on the token in hand may be refused
    settled(await rotateSecret(ports, client.client_id, { overlapSeconds: 3600, force: true }));
    client.rotatedAt = moment();
  }
  await pause();
  await Promise.all(clients.map(client => token(base, client, figures)));
  // A process that still remembers the old ring would sign with the retired key: an hour is longer
  // than that.
  if (!facts.pause.outlivesCaches) return;
  settled(await retireIdleKey(shifted(ports, 120), first));
  await pause();
};

/**
 * Lets clients publish without a break while key and secrets are rotated.
 *
 * @param pause between two steps
 */
export const rotateUnderLoad = async (count: number, pause: Pause): Promise<Figures> => {
  const folder = temporaryFolder();
  const service = await startService(folder.path, '--no-limits');
  const { base_url: base, workspace } = service.ready;
  const ports = runningRegistry(folder.path, service.ready);
  const figures: Figures = { clients: count, published: 0, tokens: 0, renewed: 0, failures: [] };
  try {
    const clients = await Promise.all(
      Array.from({ length: count }, async (_, number): Promise<Client> => {
        const systemId = `load-${number}`;
        const made = await newProducer(ports, workspace, systemId);
        const client = {
          ...made,
          systemId,
          authorization: '',
          rotatedAt: 0,
          tokenAt: 0,
          published: 0,
        };
        await token(base, client, figures);
        return client;
      }),
    );
    const state = { running: true };
    const url = `${base}/tenants/${workspace}/messages`;
    const publishing = clients.map(async client => {
      while (state.running) await publishOne(base, url, client, figures);
    });
    await rotateEverything({ ports, base, clients, pause }, figures);
    state.running = false;
    await Promise.all(publishing);
  } finally {
    await service.stop();
    folder.remove();
  }
  return figures;
};
