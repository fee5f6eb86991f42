import { sombus, sombusWith } from '../../support/commands.ts';
import { json, scriptedServer } from '../../support/scripted-server.ts';

const sampledAt = Date.parse('2026-05-04T09:05:00Z') / 1000;
const acl = {
  Name: 'sombus-preview',
  Id: '1',
  ARN: 'arn:acl',
  Rules: [
    {
      Name: 'any-route-per-address',
      Statement: { RateBasedStatement: { AggregateKeyType: 'IP' } },
      VisibilityConfig: { MetricName: 'm' },
    },
  ],
};

/** A command while AWS WAF replies so after it has shown its rules. */
const limits = async (reply: object, ...args: readonly string[]) => {
  const waf = await scriptedServer({
    '/': [
      json(200, { WebACLs: [{ Name: acl.Name, Id: acl.Id }] }),
      json(200, { WebACL: acl }),
      json(200, reply),
    ],
  });
  const variables = {
    AWS_REGION: 'eu-west-1',
    AWS_ENDPOINT_URL_WAFV2: new URL(waf.baseUrl).origin,
  };
  const { stdout } = await sombusWith(variables, 'limits', ...args, '--environment', 'preview');
  await waf.close();
  return { stdout, asked: JSON.parse(waf.calls[2]?.body ?? '{}') };
};

test('sombus limits sampled looks back the given number of minutes and prints JSON', async () => {
  const Request = { ClientIP: '192.0.2.7', Method: 'GET', URI: '/v1/health' };
  const SampledRequests = [{ Request, Timestamp: sampledAt, Action: 'BLOCK', Weight: 1 }];
  const { stdout, asked } = await limits(
    { SampledRequests },
    'sampled',
    '--minutes',
    '10',
    '--json',
  );
  expect(asked.TimeWindow.EndTime - asked.TimeWindow.StartTime).toBeCloseTo(600, 4);
  expect(JSON.parse(stdout)).toEqual([
    {
      at: '2026-05-04T09:05:00.000Z',
      rule: 'any-route-per-address',
      action: 'BLOCK',
      address: '192.0.2.7',
      method: 'GET',
      path: '/v1/health',
    },
  ]);
});

test.each([
  [['blocked']],
  [['blocked', '--environment', 'production']],
  [['sampled', '--environment', 'sandbox', '--minutes', '181']],
])('sombus limits %j is a usage error', async args => {
  expect((await sombus('limits', ...args)).code).toBe(2);
});
