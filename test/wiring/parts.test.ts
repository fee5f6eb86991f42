import { jobs } from '../../lib/contract/functions.ts';
import { portalCallIds } from '../../lib/contract/portal/portal.ts';
import { type RouteId, routes } from '../../lib/contract/routes.ts';
import { localEnv } from '../../lib/local/env.ts';
import * as alerts from '../../lib/wiring/alerts.ts';
import * as checks from '../../lib/wiring/checks.ts';
import * as consuming from '../../lib/wiring/consuming.ts';
import * as descriptions from '../../lib/wiring/descriptions.ts';
import * as history from '../../lib/wiring/history.ts';
import * as functionsOfJobs from '../../lib/wiring/jobs.ts';
import { operatorPorts } from '../../lib/wiring/operator.ts';
import * as portal from '../../lib/wiring/portal.ts';
import * as publishing from '../../lib/wiring/publishing.ts';
import * as registry from '../../lib/wiring/registry.ts';
import * as skills from '../../lib/wiring/skills.ts';
import * as tokens from '../../lib/wiring/tokens.ts';

const exported: readonly object[] = [
  ...[alerts, checks, consuming, descriptions, history, functionsOfJobs],
  ...[portal, publishing, registry, skills, tokens],
].flatMap(each => Object.entries(each).filter(([name]) => name.endsWith('Function')));

interface Served {
  readonly route?: RouteId;
  readonly job?: keyof typeof jobs;
  readonly edge?: unknown;
  readonly use?: unknown;
  readonly ports: Readonly<Record<string, unknown>>;
}
const served = exported.map(entry => (entry as [string, Served])[1]);
const ofRoutes = served.filter(({ edge }) => typeof edge === 'function');
const ofJobs = served.filter(({ use }) => typeof use === 'function');

/** `log` for `log.read` and `log.update`. */
const portsIn = (accesses: readonly string[]) =>
  [...new Set(accesses.map(access => access.replace(/\..*/, '')))].toSorted();
const portsOf = ({ ports }: Served) => Object.keys(ports).toSorted();

const engine = 'http://127.0.0.1:1';
const engines = { dynamodb: engine, sqs: engine, kms: engine, cloudwatch: engine };
const env = {
  ...localEnv('http://127.0.0.1', engines),
  SOMBUS_OIDC_ISSUER: 'http://127.0.0.1:2',
  SOMBUS_OIDC_CLIENT_ID: 'portal',
  SOMBUS_OIDC_CLIENT_SECRET: 'secret',
};

test('every route has a function, and every job that runs on a schedule', () => {
  expect([ofRoutes.length + ofJobs.length, served.length]).toEqual([served.length, served.length]);
  expect(ofRoutes.map(({ route }) => route).toSorted()).toEqual(Object.keys(routes).toSorted());
  expect(ofJobs.map(({ job }) => job).toSorted()).toEqual(Object.keys(jobs).toSorted());
});

test.each(ofRoutes.map(one => [`${one.route}`, one] as const))(
  'the function of the route %s has the ports of its row, and no other',
  (_, one) => {
    const accesses = one.route ? routes[one.route].ports : [];
    expect(portsOf(one)).toEqual(portsIn(accesses));
  },
);

test.each(ofJobs.map(one => [`${one.job}`, one] as const))(
  'the function of the job %s has the ports of its row, and no other',
  (_, one) => {
    const accesses = one.job ? jobs[one.job].ports : [];
    expect(portsOf(one)).toEqual(portsIn(accesses));
  },
);

test('every port can be made for the local service', () => {
  for (const { ports } of served)
    for (const [name, make] of Object.entries(ports))
      expect([name, (make as (given: object) => unknown)(env)]).not.toEqual([name, undefined]);
});

test('every call of the portal is served', () => {
  expect(Object.keys(portal.portalHandlers).toSorted()).toEqual([...portalCallIds].toSorted());
});

test('the operator has all ports that the commands work with', () => {
  const ports = operatorPorts(env);
  expect(Object.keys(ports).toSorted()).toEqual(
    [
      ...['clock', 'ids', 'busVersion', 'busIssuer', 'archiveDays', 'caller', 'isKeyHere'],
      ...['directory', 'members', 'invitations', 'connections', 'principals', 'skills', 'marks'],
      ...['identityProviders', 'bounds', 'usagePlans', 'usageKeys', 'changes', 'erasure'],
      ...['history', 'queueAdmin', 'guardedQueues', 'depths', 'queueAges', 'keyRings'],
      ...['sealRings', 'log', 'stories', 'acceptances', 'backlog', 'archive', 'replays'],
      ...['replayList', 'checkRuns'],
    ].toSorted(),
  );
  expect([ports.archiveDays, ports.busIssuer]).toEqual([30, 'http://127.0.0.1/v1/oauth']);
});
