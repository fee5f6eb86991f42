import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { alarms, blockingRules, watchedAlarms } from '../../lib/contract/alarms.ts';
import { customMetrics, rareMetrics } from '../../lib/contract/metrics.ts';
import { decide } from '../../lib/local/engines/iam.ts';
import { lambda } from '../../lib/wiring/function.ts';
import { queueAgesFunction, relayFunction } from '../../lib/wiring/jobs.ts';
import { place } from '../../scripts/permissions/deployment.ts';
import { proxyEvent } from '../support/proxy-event.ts';
import { writtenLines } from '../support/written-lines.ts';
import { defaultDeployment, defaultStacks, running } from './support/stacks.ts';

const stack = running(defaultStacks());
const runbook = readFileSync(join(__dirname, '../../docs/runbook.md'), 'utf8');
const hasJobs = stack.ofType('AWS::Events::Rule').length > 0;
const firewallAlarms = Object.keys(blockingRules).map(rule => `firewall-${rule}`);
const watched = [
  ...Object.keys(alarms).filter(id => hasJobs || id !== 'job-failures'),
  ...firewallAlarms,
];

const alarmNamed = (id: string) =>
  stack.one('AWS::CloudWatch::Alarm', ({ AlarmName }) => AlarmName === `sombus-sandbox-${id}`)
    .Properties;

describe('alarms', () => {
  it('that mail the operator are those that the portal asks for', () => {
    const mailing = stack
      .ofType('AWS::CloudWatch::Alarm')
      .filter(({ Properties }) => Properties['AlarmActions'])
      .map(({ Properties }) => Properties['AlarmName']);
    const needed = watchedAlarms.filter(({ isOptional }) => !isOptional);
    expect(mailing.sort()).toEqual(needed.map(({ id }) => `sombus-sandbox-${id}`).sort());
  });

  it.each(watched)(
    '%s calls the operator, says when it is over, and names its section of the runbook',
    id => {
      const { AlarmActions, OKActions, AlarmDescription } = alarmNamed(id);
      const topic = stack.one('AWS::SNS::Topic', () => true);
      expect(AlarmActions.map(stack.referred)).toEqual([{ Ref: topic.id }]);
      expect(OKActions).toEqual(AlarmActions);
      expect(AlarmDescription).toContain(
        `docs/runbook.md, section "${id.replace(/^firewall-.*/, 'firewall')}"`,
      );
    },
  );

  it.each(watched)('%s may reach its topic: CloudWatch publishes to it, over TLS', id => {
    const deployment = defaultDeployment();
    const arnOf = (logicalId: string) =>
      deployment.resources.find(one => one.id === logicalId)?.arn ?? '';
    const alarm = stack.one(
      'AWS::CloudWatch::Alarm',
      one => one.AlarmName === `sombus-sandbox-${id}`,
    );
    const publish = (source: Readonly<Record<string, string>>) => {
      const caller = { service: 'cloudwatch.amazonaws.com' };
      const { Ref } = stack.referred(alarm.Properties.AlarmActions[0]) as { readonly Ref: string };
      const context = Object.fromEntries(
        Object.entries({ 'aws:SecureTransport': 'true', ...source }).map(([key, value]) => [
          key,
          [value],
        ]),
      );
      const call = { caller, action: 'sns:Publish', resource: arnOf(Ref), context };
      return decide(call, deployment.policiesFor(caller, call.resource));
    };
    const source = { 'aws:SourceAccount': place.account, 'aws:SourceArn': arnOf(alarm.id) };
    expect(publish(source)).toBe('allowed');
    expect(publish({ ...source, 'aws:SourceAccount': '999999999999' })).toBe('denied');
    expect(
      publish({
        ...source,
        'aws:SourceArn': `${source['aws:SourceArn']}`.replace('sombus-', 'other-'),
      }),
    ).toBe('denied');
    expect(publish({ ...source, 'aws:SecureTransport': 'false' })).toBe('denied');
  });

  it('there are no others', () => {
    const calling = stack
      .ofType('AWS::CloudWatch::Alarm')
      .filter(({ Properties }) => Properties['AlarmActions']);
    expect(calling).toHaveLength(watched.length);
  });

  it('relay-age rings after two minutes, also when the relay is silent', () => {
    expect(alarmNamed('relay-age')).toMatchObject({
      Namespace: 'som-bus/sandbox',
      MetricName: 'OldestPendingSeconds',
      Threshold: 120,
      TreatMissingData: 'breaching',
    });
  });

  it('unacknowledged-age rings also when nothing measures, but not for one run that is late', () => {
    expect(alarmNamed('unacknowledged-age')).toMatchObject({
      MetricName: 'OldestUnacknowledgedSeconds',
      Period: 900,
      EvaluationPeriods: 3,
      DatapointsToAlarm: 2,
      TreatMissingData: 'breaching',
    });
  });

  it('waiting-polls rings when four fifths of the copies for polls wait, before any is refused', () => {
    const pull = stack.one(
      'AWS::Lambda::Function',
      properties => properties['FunctionName'] === 'sombus-sandbox-pull',
    );
    expect(alarmNamed('waiting-polls')).toMatchObject({
      Namespace: 'AWS/Lambda',
      MetricName: 'ConcurrentExecutions',
      Dimensions: [{ Name: 'FunctionName', Value: 'sombus-sandbox-pull' }],
      Threshold: 320,
      Statistic: 'Maximum',
    });
    expect(pull.Properties['ReservedConcurrentExecutions']).toBe(400);
  });

  it.each([
    ['bus-5xx', '5XXError', 'AWS/ApiGateway'],
    ['portal-5xx', '5XXError', 'AWS/ApiGateway'],
    ['throttles', 'Throttled', 'som-bus/sandbox'],
    ['authoriser-errors', 'AuthoriserErrors', 'som-bus/sandbox'],
    ['token-errors', 'TokenErrors', 'som-bus/sandbox'],
    ['unrecorded-activity', 'UnrecordedActivity', 'som-bus/sandbox'],
    ['function-throttles', 'Throttles', 'AWS/Lambda'],
  ])('%s watches %s', (id, MetricName, Namespace) => {
    expect(alarmNamed(id)).toMatchObject({
      MetricName,
      Namespace,
      TreatMissingData: 'notBreaching',
    });
  });

  it('each adds up what it counts, and takes the worst of what it measures: an average hides a peak', () => {
    const statistics = watched.map(id => {
      const { Statistic, Metrics = [] } = alarmNamed(id);
      const parts = Metrics as readonly { readonly MetricStat?: { readonly Stat: string } }[];
      const stats = parts.flatMap(({ MetricStat }) => MetricStat?.Stat ?? []);
      return [id, ...new Set([Statistic ?? [], stats].flat())];
    });
    const worst = [
      ...['job-failures', 'queue-policy', 'relay-age', 'unacknowledged-age', 'waiting-polls'],
    ];
    expect(statistics).toEqual(watched.map(id => [id, worst.includes(id) ? 'Maximum' : 'Sum']));
    expect(statistics.filter(([, statistic]) => statistic === 'Maximum')).toHaveLength(
      worst.length,
    );
  });

  it.each(watched)('%s rings at its threshold, not only above it', id => {
    expect(alarmNamed(id)['ComparisonOperator']).toBe('GreaterThanOrEqualToThreshold');
  });

  it.each([
    ['table-throttles', ['archive', 'children', 'pending', 'table', 'table']],
    ['activity-throttles', ['in_flight', 'table', 'table']],
  ])(
    '%s watches reads and writes of its two tables and of each of their indexes',
    (id, watchedThings) => {
      const metrics: readonly {
        MetricStat?: {
          Metric: { MetricName: string; Dimensions: readonly { Name: string; Value: unknown }[] };
        };
      }[] = alarmNamed(id)['Metrics'];
      const indexOf = (dimensions: readonly { Name: string; Value: unknown }[]) =>
        dimensions.find(({ Name }) => Name === 'GlobalSecondaryIndexName')?.Value ?? 'table';
      const watched = metrics.flatMap(({ MetricStat }) =>
        MetricStat
          ? `${indexOf(MetricStat.Metric.Dimensions)} ${MetricStat.Metric.MetricName}`
          : [],
      );
      const events = ['ReadThrottleEvents', 'WriteThrottleEvents'];
      const expected = watchedThings.flatMap(thing => events.map(event => `${thing} ${event}`));
      expect(watched.sort()).toEqual(expected.sort());
    },
  );
});

const env = {
  SOMBUS_ENVIRONMENT: 'sandbox',
  SOMBUS_ORIGIN: 'https://bus.example',
  AWS_LAMBDA_FUNCTION_NAME: 'sombus-sandbox-token',
  AWS_LAMBDA_FUNCTION_VERSION: '7',
};

/**
 * Whether a line fits a filter of terms that && and || join in parentheses (CloudWatch Logs:
 * "Filter pattern syntax").
 */
const fits = (pattern: string, line: Record<string, unknown>): boolean => {
  const isEqual = (_: string, name: string, value: string) => String(line[name] === value);
  let text = pattern.replace(/^{ | }$/g, '').replace(/\$\.(\w+) = "([^"]*)"/g, isEqual);
  for (let before = ''; before !== text; ) {
    before = text;
    text = text
      .replace(/\((true|false)\)/g, '$1')
      .replace(/\b(true|false) && (true|false)\b/g, (_, a, b) =>
        String(a === 'true' && b === 'true'),
      )
      .replace(/\b(true|false) \|\| (true|false)\b/g, (_, a, b) =>
        String(a === 'true' || b === 'true'),
      );
  }
  if (text !== 'true' && text !== 'false')
    throw new Error(`The filter ${pattern} is not understood here.`);
  return text === 'true';
};

describe('the log lines that alarms count', () => {
  const filterOf = (metric: string): string =>
    stack.one(
      'AWS::Logs::MetricFilter',
      ({ MetricTransformations: [{ MetricName }] }) => MetricName === metric,
    ).Properties['FilterPattern'];

  const errorOf = async (route: 'token' | 'health') => {
    const broken = async () => {
      throw new Error('The registry is gone.');
    };
    const [line = {}] = await writtenLines(() =>
      lambda({ route, edge: () => broken, ports: {} } as never, env)(proxyEvent({})),
    );
    return line;
  };

  it('token-errors: what the token function writes when it fails, and no other', async () => {
    const filter = filterOf('TokenErrors');
    const line = await errorOf('token');
    expect(line).toMatchObject({ level: 'ERROR', message: 'failed' });
    expect(fits(filter, line)).toBe(true);
    expect(fits(filter, { ...line, level: 'INFO' })).toBe(false);
    expect(fits(filter, await errorOf('health'))).toBe(false);
  });

  /**
   * A line of the bus's access log, as its stage is set up, of a request that API Gateway refused.
   */
  const refused = (type: string): Record<string, unknown> => {
    const [format] = stack
      .ofType('AWS::ApiGateway::Stage')
      .filter(({ Properties }) => Properties['StageName'] === 'v1')
      .map(({ Properties }): string => Properties['AccessLogSetting'].Format);
    if (format === undefined) throw new Error('The bus has no stage v1.');
    return JSON.parse(format.replace('$context.error.responseType', type));
  };

  // API Gateway: "Gateway response types".
  it.each([
    ['Throttled', ['THROTTLED', 'QUOTA_EXCEEDED'], ['WAF_FILTERED', 'UNAUTHORIZED', '-']],
    [
      'AuthoriserErrors',
      ['AUTHORIZER_FAILURE', 'AUTHORIZER_CONFIGURATION_ERROR'],
      ['UNAUTHORIZED', 'ACCESS_DENIED', 'THROTTLED', '-'],
    ],
  ])('%s: what API Gateway writes', (metric, counted, others) => {
    const isCounted = (type: string) => fits(filterOf(metric), refused(type));
    expect(counted.filter(isCounted)).toEqual(counted);
    expect(others.filter(isCounted)).toEqual([]);
  });
});

describe('the metrics that functions write', () => {
  /** Namespace, dimensions and names of metrics in the embedded metric format. */
  const metricsOf = (line: Record<string, unknown>) => {
    const { CloudWatchMetrics } = line['_aws'] as {
      readonly CloudWatchMetrics: readonly {
        readonly Namespace: string;
        readonly Dimensions: readonly (readonly string[])[];
        readonly Metrics: readonly { readonly Name: string }[];
      }[];
    };
    return CloudWatchMetrics.flatMap(({ Namespace, Dimensions: [names = []], Metrics }) =>
      Metrics.map(({ Name: MetricName }) => ({
        Namespace,
        MetricName,
        Dimensions: names.map(Name => ({ Name, Value: line[Name] })),
      })),
    );
  };

  it('are those that their alarms look at, to the last dimension', async () => {
    const consumer = { connection: 'c1', workspace: 'w1', queue: 'c1.fifo' };
    const lines = await writtenLines(() => {
      relayFunction.ports
        .metrics(env)
        .report({ pendingHeads: 1, oldestPendingSeconds: 121, finished: 0 });
      const watched = { oldestSeconds: 700_000, old: [], unknown: [], unguarded: [consumer] };
      queueAgesFunction.ports.ageReport(env).report(watched);
    });
    const written = lines.filter(line => '_aws' in line).flatMap(metricsOf);
    for (const id of ['relay-age', 'unacknowledged-age', 'queue-policy']) {
      const { Namespace, MetricName, Dimensions } = alarmNamed(id);
      expect([id, written]).toEqual([
        id,
        expect.arrayContaining([{ Namespace, MetricName, Dimensions }]),
      ]);
    }
  });
});

interface Acl {
  readonly Name: string;
  readonly VisibilityConfig: { readonly MetricName: string };
  readonly Rules: readonly {
    readonly Name: string;
    readonly Action?: { readonly Count?: object };
    readonly VisibilityConfig: { readonly MetricName: string };
  }[];
}

describe('the firewall is watched', () => {
  const acl = stack.one('AWS::WAFv2::WebACL', () => true).Properties as Acl;
  const blocking = acl.Rules.filter(({ Action }) => !Action?.Count);

  it.each(blocking.map(({ Name }) => Name))('%s has an alarm on what it blocks', name => {
    const rule = blocking.find(({ Name }) => Name === name);
    const { MetricName, Namespace, Dimensions } = alarmNamed(`firewall-${name}`);
    expect([Namespace, MetricName]).toEqual(['AWS/WAFV2', 'BlockedRequests']);
    expect(Dimensions).toEqual(
      expect.arrayContaining([
        { Name: 'Rule', Value: rule?.VisibilityConfig.MetricName },
        { Name: 'WebACL', Value: acl.VisibilityConfig.MetricName },
        { Name: 'Region', Value: { Ref: 'AWS::Region' } },
      ]),
    );
  });

  it('the dashboard shows what each rule blocks', () => {
    const body = JSON.stringify(stack.one('AWS::CloudWatch::Dashboard', () => true).Properties);
    for (const { Name } of blocking) expect(body).toContain(`\\"Rule\\",\\"${Name}\\"`);
  });

  it('an access log line says in the runbook’s words that the firewall refused', () => {
    const [, field = '', value = ''] = /`(\w+)` = `(WAF_\w+)`/.exec(runbook) ?? [];
    expect(value).toBe('WAF_BLOCK');
    for (const { Properties } of stack.ofType('AWS::ApiGateway::Stage')) {
      // The only variable with these values (API Gateway: "Variables for access logging");
      // `waf.status` is a number.
      expect(JSON.parse(Properties['AccessLogSetting'].Format)[field]).toBe(
        '$context.wafResponseCode',
      );
    }
  });
});

describe('the runbook', () => {
  it.each([...new Set(watchedAlarms.map(({ section }) => section))])(
    'has a section "%s" with meaning, first command and undoing',
    id => {
      const section = runbook.split(/^## /m).find(text => text.startsWith(`${id}\n`));
      expect(section).toMatch(
        /\*\*Means\.\*\*.+\*\*First\.\*\*.+```console\n.+```.+\*\*Recover\.\*\*/s,
      );
    },
  );
});

describe('the dashboard', () => {
  it('begins with the state of all alarms', () => {
    const { DashboardBody, DashboardName } = stack.one(
      'AWS::CloudWatch::Dashboard',
      () => true,
    ).Properties;
    expect(DashboardName).toBe('sombus-sandbox');
    // A word stands for everything that only the deployment knows.
    const parts: readonly unknown[] = DashboardBody['Fn::Join'][1];
    const body = parts.map(part => (typeof part === 'string' ? part : 'deployed')).join('');
    const [first] = JSON.parse(body).widgets;
    expect(first).toMatchObject({ type: 'alarm', properties: { title: 'Alarms' } });
    expect(first.properties.alarms).toHaveLength(watched.length);
  });
});

describe('the cost of monitoring', () => {
  it('every metric of our own is watched, or shown on the dashboard', () => {
    const alarming = JSON.stringify(stack.ofType('AWS::CloudWatch::Alarm'));
    const shown = JSON.stringify(stack.one('AWS::CloudWatch::Dashboard', () => true).Properties);
    const unseen = Object.values(customMetrics).filter(
      name => !alarming.includes(`"${name}"`) && !shown.includes(`\\"${name}\\"`),
    );
    expect(unseen).toEqual([]);
  });

  it('docs/cost.md counts the alarms and the rules of the firewall that are deployed', () => {
    const made = stack.ofType('AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);
    const paid = made.flatMap(({ Metrics = [{ MetricStat: {} }] }) =>
      Metrics.filter(({ MetricStat }: { readonly MetricStat?: object }) => MetricStat),
    );
    const [acl] = stack.ofType('AWS::WAFv2::WebACL');
    const page = readFileSync('docs/cost.md', 'utf8');
    expect(page).toContain(`| ${made.length} alarms on ${paid.length} metrics |`);
    expect(page).toContain(`| its ${acl?.Properties['Rules'].length} rules |`);
  });

  it('metrics of our own stay within the budget', () => {
    expect(Object.keys(customMetrics).length).toBeLessThanOrEqual(7);
    const filters = stack
      .ofType('AWS::Logs::MetricFilter')
      .map(({ Properties }) => Properties['MetricTransformations'][0]);
    const names: readonly string[] = [
      ...Object.values(customMetrics),
      ...Object.values(rareMetrics),
    ];
    for (const { MetricName } of filters) expect(names).toContain(MetricName);
    for (const setting of stack
      .ofType('AWS::ApiGateway::Stage')
      .flatMap(({ Properties }) => Properties['MethodSettings'])) {
      expect(setting.MetricsEnabled ?? false).toBe(false);
    }
  });
});

describe('a lost region', () => {
  it('rings by the silence of its probe', () => {
    expect(alarmNamed('probe')).toMatchObject({
      MetricName: 'Errors',
      Dimensions: [{ Name: 'FunctionName', Value: 'sombus-sandbox-probe' }],
      Threshold: 1,
      TreatMissingData: 'breaching',
    });
    expect(
      stack.ofType('AWS::Events::Rule').map(({ Properties }) => Properties['ScheduleExpression']),
    ).toContain('rate(5 minutes)');
  });
});
