import { mustStillRead } from '../../lib/platform/aws/table.ts';
import type { InProcess } from '../../lib/platform/http/request.ts';
import { healthFunction } from '../../lib/wiring/descriptions.ts';
import { lambda, type RunContext } from '../../lib/wiring/function.ts';
import { proxyEvent } from '../support/proxy-event.ts';
import { writtenLines } from '../support/written-lines.ts';

const env = {
  SOMBUS_ENVIRONMENT: 'sandbox',
  SOMBUS_ORIGIN: 'https://bus.example',
  AWS_LAMBDA_FUNCTION_NAME: 'sombus-sandbox-health',
  AWS_LAMBDA_FUNCTION_VERSION: '7',
};

/** The lines that a function writes about one request. */
const linesOf = (served: typeof healthFunction, context?: RunContext, gone?: AbortSignal) => {
  const event: InProcess & ReturnType<typeof proxyEvent> = {
    ...proxyEvent({ httpMethod: 'GET' }),
    ...(gone && { gone }),
  };
  return writtenLines(() => lambda(served, env)(event, context));
};

/** The route, with work that fails. */
const failing = (work: () => Promise<never>): typeof healthFunction => ({
  ...healthFunction,
  edge: () => work,
});

test('a line of a function names its version, by which a release knows its own errors', async () => {
  expect(await linesOf(healthFunction)).toEqual([
    expect.objectContaining({ level: 'INFO', route: 'health', version: 'health:7', status: 200 }),
  ]);
  const broken = failing(async () => {
    throw new Error('broken');
  });
  expect(await linesOf(broken)).toMatchObject([
    { level: 'ERROR', version: 'health:7', error: { message: 'broken' } },
    { level: 'INFO', status: 503 },
  ]);
});

test('a caller who asks for more than there is time for rolls no release back', async () => {
  const slow = failing(async () => {
    await mustStillRead();
    throw new Error('There was time.');
  });
  expect(await linesOf(slow, { getRemainingTimeInMillis: () => 1 })).toMatchObject([
    {
      level: 'WARN',
      version: 'health:7',
      error: { message: expect.stringContaining('time is over') },
    },
    { level: 'INFO', status: 503 },
  ]);
});

test('nothing is read any more when the caller has gone', async () => {
  let isRead = false;
  const leaving = async (leaves: boolean) => {
    const caller = new AbortController();
    const reading = failing(async () => {
      if (leaves) caller.abort();
      await mustStillRead();
      isRead = true;
      throw new Error('It was read.');
    });
    isRead = false;
    await linesOf(reading, undefined, caller.signal);
    return isRead;
  };
  expect([await leaving(false), await leaving(true)]).toEqual([true, false]);
});
