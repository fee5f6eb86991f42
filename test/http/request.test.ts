import { httpRequest } from '../../lib/http/request.ts';
import { proxyEvent as event } from '../support/proxy-event.ts';

describe('the request of an event', () => {
  it('has every value of a repeated header, regardless of case in its name', () => {
    const { headers } = httpRequest(
      event({
        headers: { Authorization: 'one', authorization: 'two' },
        multiValueHeaders: { Authorization: ['one', 'three'], authorization: ['two'] },
      }),
    );
    expect(headers).toEqual({ authorization: 'one, three, two' });
  });

  it('has the headers of an event without lists', () => {
    expect(httpRequest(event({ headers: { Accept: 'x' } })).headers).toEqual({ accept: 'x' });
  });

  it('names the query parameters that are repeated', () => {
    const { query, repeated } = httpRequest(
      event({
        queryStringParameters: { max: '1', wait: '2' },
        multiValueQueryStringParameters: { max: ['99', '1'], wait: ['2'] },
      }),
    );
    expect([query, repeated]).toEqual([{ max: '1', wait: '2' }, ['max']]);
  });
});
