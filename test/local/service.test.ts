import { requestLines } from '../../lib/local/service.ts';

const printed: string[] = [];
const logFor = requestLines(
  line => printed.push(line),
  () => Date.parse('2026-05-04T09:15:00.125Z'),
);
beforeEach(() => {
  printed.splice(0);
});

describe('the line of a request', () => {
  test('has the time, the status, the route, how long it took, and what it was about', () => {
    logFor('publish').answered({
      status: 202,
      milliseconds: 7,
      requestId: 'r',
      errorQueue: 'queue',
      error: 'error',
      foreignMessages: 2,
      correlationId: 'story',
      messageId: 'message',
      messageType: 'story.context',
      connection: 'c1',
      rule: 'rule',
    });
    expect(printed).toEqual([
      '09:15:00.125  202  publish            7 ms  rule c1 story.context message story ' +
        'ignored messages that the bus did not send: 2 error queue',
    ]);
  });

  test('leaves out what is not known', () => {
    logFor(undefined).answered({ status: 404, milliseconds: 12_345, requestId: 'r' });
    logFor('verify-principal').answered({ status: 200, milliseconds: 0, requestId: 'r' });
    expect(printed).toEqual([
      '09:15:00.125  404  -              12345 ms  ',
      '09:15:00.125  200  verify-principal     0 ms  ',
    ]);
  });

  test('says which request failed, and why', () => {
    logFor('publish').failed(new TypeError('The table is gone.'), { requestId: 'request-1' });
    expect(printed).toEqual(['request-1  failed: The table is gone.']);
  });
});
