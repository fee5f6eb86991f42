import type { Connection } from '../../access/registry/connection.ts';
import { type Declined, isDeclined } from '../../access/registry/declined.ts';
import { defined } from '../../contract/outside.ts';
import type { Entry, Log } from '../delivery/log.ts';
import { type Archive, includes, type ReplayRange } from './replay.ts';
import { checkReplay, type ReplayCheckPorts, type RequestedType } from './start-replay.ts';

interface CountPorts extends ReplayCheckPorts {
  readonly archive: Pick<Archive, 'page' | 'entries'>;
  readonly log: Pick<Log, 'head' | 'entries'>;
}

interface ReplayCount {
  readonly kind: 'counted';
  readonly messages: number;
  /** Epoch milliseconds: later messages were not looked at. Undefined: all were. */
  readonly until?: number;
  /** Says that less was counted than was asked for. */
  readonly note?: string;
}

/** How much is looked at: enough for most replays, and bounded whatever the archive holds. */
const countLimits = { entries: 1_000, page: 100, milliseconds: 5_000 } as const;

type Page = readonly Entry[];

async function* archivePages(
  { archive }: CountPorts,
  workspace: string,
  { from, to }: ReplayRange,
): AsyncGenerator<Page> {
  let after: string | undefined;
  for (;;) {
    const range = defined({ workspace, from, to, after });
    const summaries = await archive.page(range, countLimits.page);
    if (summaries.length === 0) return;
    yield (await archive.entries(workspace, summaries)).map(({ entry }) => entry);
    after = summaries.at(-1)?.position;
  }
}

async function* logPages(
  { log }: CountPorts,
  workspace: string,
  { from, to, correlationId = '' }: ReplayRange,
): AsyncGenerator<Page> {
  const { last } = await log.head({ workspace, correlationId });
  for (let next = 1; next <= last; ) {
    const entries = await log.entries({ workspace, correlationId }, next, last);
    if (entries.length === 0) return;
    yield entries.filter(({ acceptedAt }) => acceptedAt >= from && acceptedAt < to);
    next = (entries.at(-1)?.number ?? last) + 1;
  }
}

const count = async (
  ports: CountPorts,
  consumer: Connection,
  range: ReplayRange,
): Promise<ReplayCount> => {
  const pagesOf = range.correlationId === undefined ? archivePages : logPages;
  const deadline = ports.clock.now() + countLimits.milliseconds;

  let messages = 0;
  let looked = 0;
  let until = range.from;
  for await (const page of pagesOf(ports, consumer.workspace, range)) {
    if (looked >= countLimits.entries || ports.clock.now() >= deadline)
      return { kind: 'counted', messages, until };
    messages += page.filter(entry => includes(range, consumer, entry)).length;
    looked += page.length;
    until = page.at(-1)?.acceptedAt ?? until;
  }
  return { kind: 'counted', messages };
};

/** Counts what a replay would send now: what starting it would decline is declined here as well. */
export const countReplay = async (
  ports: CountPorts,
  connection: string,
  wanted: ReplayRange & RequestedType,
): Promise<ReplayCount | Declined> => {
  const checked = await checkReplay(ports, connection, wanted);
  if (isDeclined(checked)) return checked;
  const { consumer, range, note } = checked;
  const counted = await count(ports, consumer, range);
  return defined({ ...counted, note });
};
