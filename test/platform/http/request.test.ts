import {
  httpRequest,
  isNavigation,
  matchesEtag,
  mediaType,
  preferredType,
  takesBrotli,
  tooLong,
  traceparentOf,
  unreadableJson,
  withoutEndedCaller,
} from '../../../lib/platform/http/request.ts';
import { proxyEvent as event } from '../../support/proxy-event.ts';

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

  it('has all that the gateway knows', () => {
    const { signal } = new AbortController();
    const requestContext = {
      requestId: 'r1',
      authorizer: { connection: 'c1', workspace: 'w1', more: 'x' },
      identity: { ...event({}).requestContext.identity, userArn: 'arn:aws:iam::1:role/r' },
    };
    const pathParameters = { t: 'w', m: undefined };
    const whole = event({ httpMethod: 'POST', pathParameters, body: 'x', requestContext });
    const request = {
      requestId: 'r1',
      method: 'POST',
      headers: {},
      pathParameters: { t: 'w' },
      query: {},
      repeated: [],
      body: Buffer.from('x'),
      caller: { connection: 'c1', workspace: 'w1' },
      signer: 'arn:aws:iam::1:role/r',
    };
    expect(httpRequest(whole)).toEqual(request);
    expect(httpRequest({ ...whole, gone: signal })).toEqual({ ...request, gone: signal });
  });

  it('that asks for no body is a GET', () => {
    expect(httpRequest(event({ httpMethod: 'HEAD' }))).toMatchObject({
      method: 'GET',
      isHead: true,
    });
    expect(httpRequest(event({ httpMethod: 'GET' }))).not.toHaveProperty('isHead');
  });

  it.each<Record<string, string>>([{ connection: 'c1' }, { workspace: 'w1' }, {}])(
    'has no caller in %j, and no signer',
    authorizer => {
      const request = httpRequest(event({ requestContext: { authorizer } }));
      expect(request).not.toHaveProperty('caller');
      expect(request).not.toHaveProperty('signer');
    },
  );

  it('names the query parameters that are repeated', () => {
    const { query, repeated } = httpRequest(
      event({
        queryStringParameters: { max: '1', wait: '2' },
        multiValueQueryStringParameters: { max: ['99', '1'], wait: ['2'] },
      }),
    );
    expect([query, repeated]).toEqual([{ max: '1', wait: '2' }, ['max']]);
  });

  it.each([
    ['as text', { body: 'é' }],
    ['in base64', { body: 'w6k=', isBase64Encoded: true }],
    ['beside it', { body: null, bytes: Buffer.from('é') }],
  ])('has the bytes of a body %s', (_, body) => {
    expect(httpRequest({ ...event({}), ...body }).body).toEqual(Buffer.from('é'));
  });
});

describe('a caller whose token ends', () => {
  const authorizer = { connection: 'c1', workspace: 'w1', validUntil: '100' };
  const whole = event({ body: 'x', requestContext: { requestId: 'r1', authorizer } });

  it('is known until then', () => {
    expect(withoutEndedCaller(whole, 99_999)).toBe(whole);
    const { requestContext } = whole;
    for (const now of [100_000, 100_001])
      expect(withoutEndedCaller(whole, now)).toEqual({
        ...whole,
        requestContext: { ...requestContext, authorizer: null },
      });
  });

  it('is known for as long as nobody says when', () => {
    const open = event({ requestContext: { authorizer: { connection: 'c1' } } });
    expect(withoutEndedCaller(open, Number.MAX_SAFE_INTEGER)).toBe(open);
  });
});

describe('what is too long', () => {
  const entries = [
    ['a', 'xx'],
    ['b', 'éé'],
  ] as const;

  it.each([
    [2, 'characters', undefined],
    [1, 'characters', '"a" is longer than 1 characters.'],
    [4, 'bytes', undefined],
    [3, 'bytes', '"b" is longer than 3 bytes.'],
  ] as const)('beyond %i %s: %s', (max, unit, told) => {
    expect(tooLong(entries, max, unit)).toBe(told);
  });

  it('is counted in characters, if nobody says otherwise', () => {
    expect(tooLong(entries, 2)).toBeUndefined();
    expect(tooLong([['n', 1234]], 3)).toBe('"n" is longer than 3 characters.');
  });
});

describe('a header', () => {
  it.each([
    [undefined, ''],
    ['', ''],
    ['Text/HTML', 'text/html'],
    [' application/json ; charset=utf-8; a=b', 'application/json'],
  ])('Content-Type: %s has the media type "%s"', (header, type) => {
    expect(mediaType(header)).toBe(type);
  });

  it.each([
    ['gzip, deflate, br, zstd', true],
    ['br', true],
    ['gzip, brotli', false],
    [undefined, false],
  ])('Accept-Encoding: %s takes brotli: %s', (header, takes) => {
    expect(takesBrotli(header)).toBe(takes);
  });

  it('Accept: tells a browser that goes to a page', () => {
    const of = (accept: string) => isNavigation({ headers: { accept } });
    expect([of('text/html,*/*;q=0.8'), of('*/*'), isNavigation({ headers: {} })]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it.each([
    ['*', true],
    [' * ', true],
    ['"a"', true],
    ['W/"a"', true],
    ['"b", W/"c", "a"', true],
    ['"b"', false],
    ['a', false],
    ['"aa"', false],
    [undefined, false],
  ])('If-None-Match: %s names "a": %s', (header, matches) => {
    expect(matchesEtag(header, '"a"')).toBe(matches);
  });
});

describe('the trace of a request', () => {
  const [trace, span] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  const whole = `00-${trace}-${span}-01`;

  it('is what its traceparent says', () => {
    expect(traceparentOf({ headers: { traceparent: whole } })).toBe(whole);
  });

  it.each([
    ['none', ''],
    ['capitals', whole.toUpperCase()],
    ['no trace', `00-${'0'.repeat(32)}-${span}-01`],
    ['no span', `00-${trace}-${'0'.repeat(16)}-01`],
    ['another version', `01-${trace}-${span}-01`],
    ['more than there is in this version', `${whole}-00`],
    ['two headers', `${whole}, ${whole}`],
    ['a line break', `${whole}\n`],
  ])('is not known from %s (W3C Trace Context, "traceparent")', (_, traceparent) => {
    expect(traceparentOf({ headers: { traceparent } })).toBeUndefined();
  });
});

describe('a body that is not read', () => {
  const refusalOf = (headers: Record<string, string>) =>
    unreadableJson({ headers: { 'content-type': 'application/json', ...headers } })?.violations[0];

  const rule = 'message.unsupported_media_type';

  it.each(['gzip', 'br', 'identity, gzip'])(
    'message.unsupported_media_type: the body has the coding %s, and the message says so',
    coding => {
      const message = `The body is compressed (Content-Encoding: ${coding}); send it uncompressed.`;
      expect(refusalOf({ 'content-encoding': coding })).toMatchObject({ rule, message });
    },
  );

  it('message.unsupported_media_type: a long coding is named by its beginning', () => {
    const message = `The body is compressed (Content-Encoding: ${'x'.repeat(40)}); send it uncompressed.`;
    expect(refusalOf({ 'content-encoding': 'x'.repeat(200) })).toMatchObject({ message });
  });

  it.each(['text/plain', '', 'application/xml'])(
    'message.unsupported_media_type: it is declared as "%s"',
    type => {
      expect(refusalOf({ 'content-type': type })).toMatchObject({ rule });
    },
  );

  it.each([
    ['text/plain; charset=utf-8', 'The Content-Type is text/plain; send application/json.'],
    ['', 'There is no Content-Type; send application/json.'],
    ['x'.repeat(200), `The Content-Type is ${'x'.repeat(80)}; send application/json.`],
  ])('message.unsupported_media_type: "%s", which the message names', (type, message) => {
    expect(refusalOf({ 'content-type': type })).toEqual({ source: 'policy', rule, message });
  });

  it.each([{}, { 'content-encoding': '' }, { 'content-encoding': ' Identity ' }])(
    'is read with %j',
    headers => {
      expect(refusalOf(headers)).toBeUndefined();
    },
  );
});

describe('the form that an Accept header wants', () => {
  const offered = ['application/json', 'text/html', 'application/xml'] as const;

  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['text/html', 'text/html'],
    ['text/*', 'text/html'],
    ['text/*, */*;q=0.1', 'text/html'],
    ['*/*, text/*;q=0.1, text/html', 'application/json'],
    ['*/*;q=0.5, text/*', 'text/html'],
    ['application/xml, */*;q=0.1', 'application/xml'],
    ['application/json;q=0.5, text/html;q=0.8', 'text/html'],
    ['application/json;q=0, text/html;q=0.2', 'text/html'],
    ['application/json;q=1, text/html', 'application/json'],
    ['text/html;q=0.5', 'text/html'],
    ['text/html;q=0.2, application/xml;q=0.3', 'application/xml'],
    ['text/html, application/json', 'application/json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
    ['image/png', 'application/json'],
    ['Text/HTML ; q=1', 'text/html'],
    ['nonsense;q=…,,', 'application/json'],
  ])('%s: %s', (accept, type) => {
    expect(preferredType(accept, offered)).toBe(type);
  });
});
