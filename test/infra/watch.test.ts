import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { alarms, customMetricBudget, customMetrics } from '../../lib/contract/alarms.ts';
import { tableNames } from '../../lib/contract/tables.ts';
import { defaultStacks, stackNamed } from './support/stacks.ts';

const stack = stackNamed(defaultStacks(), 'sombus-sandbox-stateless');
const runbook = readFileSync(join(__dirname, '../../docs/runbook.md'), 'utf8');
const hasJobs = stack.ofType('AWS::Events::Rule').length > 0;
const watched = Object.keys(alarms).filter(id => hasJobs || id !== 'job-failures');

const alarmNamed = (id: string) =>
  stack.one('AWS::CloudWatch::Alarm', ({ AlarmName }) => AlarmName === `sombus-sandbox-${id}`).Properties;

describe('alarms', () => {
  it.each(watched)('%s calls the operator and names its section of the runbook', id => {
    const { AlarmActions, AlarmDescription } = alarmNamed(id);
    const topic = stack.one('AWS::SNS::Topic', () => true);
    expect(AlarmActions).toEqual([{ Ref: topic.id }]);
    expect(AlarmDescription).toContain(`docs/runbook.md, section "${id}"`);
  });

  it('there are no others', () => {
    expect(stack.ofType('AWS::CloudWatch::Alarm')).toHaveLength(watched.length);
  });

  it('relay-age rings after two minutes, also when the relay is silent', () => {
    expect(alarmNamed('relay-age')).toMatchObject({
      Namespace: 'som-bus/sandbox',
      MetricName: 'OldestPendingSeconds',
      Threshold: 120,
      TreatMissingData: 'breaching',
    });
  });

  it.each([
    ['bus-5xx', '5XXError', 'AWS/ApiGateway'],
    ['portal-5xx', '5XXError', 'AWS/ApiGateway'],
    ['throttles', 'Throttled', 'som-bus/sandbox'],
    ['authoriser-faults', 'AuthoriserFaults', 'som-bus/sandbox'],
    ['token-faults', 'TokenFaults', 'som-bus/sandbox'],
  ])('%s watches %s', (id, MetricName, Namespace) => {
    expect(alarmNamed(id)).toMatchObject({ MetricName, Namespace, TreatMissingData: 'notBreaching' });
  });

  it('table-throttles watches reads and writes of every table', () => {
    const metrics: readonly { MetricStat?: { Metric: { MetricName: string } } }[] =
      alarmNamed('table-throttles')['Metrics'];
    expect(metrics.flatMap(({ MetricStat }) => MetricStat?.Metric.MetricName ?? []).sort()).toEqual([
      ...tableNames.map(() => 'ReadThrottleEvents'),
      ...tableNames.map(() => 'WriteThrottleEvents'),
    ]);
  });
});

describe('the runbook', () => {
  it.each(Object.keys(alarms))('has a section "%s" with meaning, first command and undoing', id => {
    const section = runbook.split(/^## /m).find(text => text.startsWith(`${id}\n`));
    expect(section).toMatch(/\*\*Means\.\*\*.+\*\*First\.\*\*.+```console\n.+```.+\*\*Undo\.\*\*/s);
  });
});

describe('the cost of monitoring', () => {
  it('metrics of our own stay within the budget', () => {
    expect(Object.keys(customMetrics).length).toBeLessThanOrEqual(customMetricBudget);
    const filters = stack
      .ofType('AWS::Logs::MetricFilter')
      .map(({ Properties }) => Properties['MetricTransformations'][0]);
    const names: readonly string[] = Object.values(customMetrics);
    for (const { MetricName } of filters) expect(names).toContain(MetricName);
    for (const setting of stack
      .ofType('AWS::ApiGateway::Stage')
      .flatMap(({ Properties }) => Properties['MethodSettings'])) {
      expect(setting.MetricsEnabled ?? false).toBe(false);
    }
  });

  it('there is one dashboard', () => {
    expect(stack.ofType('AWS::CloudWatch::Dashboard')).toHaveLength(1);
  });
});
