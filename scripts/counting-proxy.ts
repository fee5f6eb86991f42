import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../lib/local/gateway-endpoint.ts';

/** What went through a proxy since it was last emptied. */
export interface Counts {
  /** By operation, without its service: `BatchGetItem`. */
  readonly calls: Map<string, number>;
  /** DynamoDB's own count, as its responses tell it. */
  readUnits: number;
  writeUnits: number;
  /** The part of it that writes down what happened. */
  readonly records: { calls: number; writeUnits: number };
}

export interface CountingProxy {
  readonly endpoint: string;
  readonly counts: Counts;
  empty(): void;
  close(): void;
}

const writes = /^(PutItem|UpdateItem|DeleteItem|BatchWriteItem|TransactWriteItems)$/;
const reads = /^(GetItem|BatchGetItem|TransactGetItems|Query|Scan)$/;

/** DynamoDB tells the units of a call when asked to, but only of calls on items. */
const asked = (body: Buffer): Buffer =>
  Buffer.from(
    JSON.stringify({ ...JSON.parse(body.toString('utf8')), ReturnConsumedCapacity: 'TOTAL' }),
  );

/** The partitions of the records of activity. */
const recordsActivity = (body: Buffer): boolean =>
  /"pk":\{"S":"(?:MESSAGE|FEED|HANDLED|COUNTS)#/.test(body.toString('utf8'));

const unitsIn = (response: Buffer): number => {
  const { ConsumedCapacity } = JSON.parse(response.toString('utf8')) as {
    ConsumedCapacity?: object;
  };
  const entries = [ConsumedCapacity ?? []].flat() as readonly { readonly CapacityUnits?: number }[];
  return entries.reduce((sum, { CapacityUnits }) => sum + (CapacityUnits ?? 0), 0);
};

/** Stands before an engine of AWS's JSON protocols and counts what the service asks of it. */
export const countingProxy = async (engine: string): Promise<CountingProxy> => {
  const counts: Counts = {
    calls: new Map(),
    readUnits: 0,
    writeUnits: 0,
    records: { calls: 0, writeUnits: 0 },
  };
  const server = createServer(async (request, response) => {
    const target = String(request.headers['x-amz-target'] ?? '');
    const operation = target.split('.').pop() ?? '';
    const countsUnits =
      target.startsWith('DynamoDB') && (writes.test(operation) || reads.test(operation));
    const body = await buffer(request);
    const {
      host: _host,
      'content-length': _length,
      connection: _connection,
      ...headers
    } = request.headers;
    const reply = await fetch(engine + request.url, {
      method: request.method ?? 'POST',
      headers: headers as Record<string, string>,
      body: new Uint8Array(countsUnits ? asked(body) : body),
    });
    const bytes = Buffer.from(await reply.arrayBuffer());
    counts.calls.set(operation, (counts.calls.get(operation) ?? 0) + 1);
    if (countsUnits) counts[writes.test(operation) ? 'writeUnits' : 'readUnits'] += unitsIn(bytes);
    if (writes.test(operation) && recordsActivity(body)) {
      counts.records.calls += 1;
      counts.records.writeUnits += unitsIn(bytes);
    }
    response
      .writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? '' })
      .end(bytes);
  });
  return {
    endpoint: await listen(server, { port: 0, option: '' }),
    counts,
    empty() {
      counts.calls.clear();
      counts.readUnits = 0;
      counts.writeUnits = 0;
      Object.assign(counts.records, { calls: 0, writeUnits: 0 });
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
