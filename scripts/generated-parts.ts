import { everyone, roles } from '../lib/checks/roles.ts';
import { type BoundScope, boundNames, bounds, maxOf } from '../lib/contract/bounds.ts';
import {
  type Bucket,
  customQuota,
  daySeconds,
  limits,
  throttles,
  tiers,
  windows,
} from '../lib/contract/limits.ts';
import { type CheckKind, checkKinds, checkRoles } from '../lib/contract/portal/checks.ts';
import {
  mayCall,
  type PortalCallId,
  portalCalls,
  type Standing,
} from '../lib/contract/portal/portal.ts';
import {
  bodyLimitOf,
  type DescribedRouteId as RouteId,
  describedRoutes as routes,
} from '../lib/contract/routes.ts';
import advice from '../lib/contract/rule-advice.json';
import { type RuleId, rules } from '../lib/contract/rules.ts';
import { summaries } from './descriptions/operation.ts';

/** A Markdown table. */
export const markdownTable = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string =>
  [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n');

const number = (value: number): string => value.toLocaleString('en-GB');

const units: readonly (readonly [string, number])[] = [
  ['day', daySeconds],
  ['hour', 3_600],
  ['minute', 60],
];

/** `5 minutes`, `a minute`; the largest unit that fits evenly. */
const time = (seconds: number): string => {
  const [name, length] = units.find(([, unit]) => seconds % unit === 0) ?? ['second', 1];
  const count = seconds / length;
  if (count === 1) return `${name === 'hour' ? 'an' : 'a'} ${name}`;
  return `${number(count)} ${name}s`;
};

const binary: readonly (readonly [string, number])[] = [
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
];

/** `16 KiB`; bytes where no larger unit fits evenly. */
const size = (bytes: number): string => {
  const [name, length] = binary.find(([, unit]) => bytes % unit === 0) ?? ['bytes', 1];
  return `${number(bytes / length)} ${name}`;
};

const rate = ({ perSecond, burst }: Bucket): string => `${perSecond} a second, bursts of ${burst}`;

const within = ({
  requests,
  seconds,
}: {
  readonly requests: number;
  readonly seconds: number;
}): string => `${requests} ${seconds === 60 ? 'a minute' : `in ${time(seconds)}`}`;

const refused = (rule: RuleId, status: number): string => `${status} \`${rule}\``;

const limited = refused('rate.limited', 429);

const rows: readonly (readonly [string, string, string])[] = [
  [
    'A connection, on every route that takes a bearer token',
    'requests a second, and bursts, of its tier',
    limited,
  ],
  [
    'The same connection',
    'requests a day of its tier; resets at 00:00 UTC',
    refused('quota.exceeded', 429),
  ],
  ['Token URL, each client that uses HTTP Basic', within(windows.tokenPerBasicClient), limited],
  ['Token URL, each source address', within(windows.tokenPerAddress), limited],
  ['Token URL, all callers together', rate(throttles.token), limited],
  ['Portal, each sign-in, each source address', within(windows.signInPerAddress), limited],
  ['Any route, each source address', within(windows.anyRoutePerAddress), limited],
  ['Signed routes of workspaces, all cloud roles together', rate(throttles.signed), limited],
  ['The whole bus, all callers together', rate(throttles.wholeApi), limited],
  ['`/api/skills/library`, all callers together', rate(throttles.skillLibrary), limited],
  ['`/api/skills/validate`, all callers together', rate(throttles.skillValidate), limited],
  ['The portal and its `/docs`, all callers together', rate(throttles.portal), limited],
  ['One message', size(bodyLimitOf('publish')), refused('message.too_large', 413)],
  ['Nesting depth of a message', `${limits.messageDepth} levels`, refused('message.too_deep', 400)],
  ['One token request body', size(bodyLimitOf('token')), '400 `invalid_request`'],
  [
    'Receipt handles in one ack or nack',
    `${limits.receiptHandles.max}`,
    refused('pull.invalid_body', 400),
  ],
  ['One ack or nack', size(bodyLimitOf('ack')), refused('message.too_large', 413)],
  [
    'One role verification',
    size(bodyLimitOf('verify-principal')),
    refused('message.too_large', 413),
  ],
  ['One check of skill instances', size(bodyLimitOf('skill-validate')), '400 `skills.unreadable`'],
  ['The same check', `${limits.skillInstances} instances`, '200 with a problem for the whole file'],
  ['Any other request body', size(limits.gatewayBodyBytes), refused('message.too_large', 413)],
  [
    'One pull',
    `${limits.pullMessages.max} messages and ${limits.pullWaitSeconds.max} seconds, to collect included`,
    refused('pull.invalid_parameter', 400),
  ],
  [
    'Polls of one connection that wait at the same time',
    `${limits.waitingPolls}`,
    '200 at once, with what is there',
  ],
];

const quotas = { ...tiers, 'custom, at most': customQuota };

/** Every limit that a caller can meet, and the tiers of connections. */
const limitTables = (): string =>
  [
    markdownTable(['What', 'Limit', 'Answer if exceeded'], rows),
    '',
    markdownTable(
      ['Tier, for each connection', 'Requests a second', 'Bursts of', 'Requests a day'],
      Object.entries(quotas).map(([name, { perSecond, burst, perDay }]) => [
        name,
        number(perSecond),
        number(burst),
        number(perDay),
      ]),
    ),
  ].join('\n');

const boundColumns: Readonly<Record<string, readonly (readonly [BoundScope, string])[]>> = {
  'A person': [['person', '']],
  'A guest in one workspace': [
    ['guest', ''],
    ['guestConnection', ' per connection'],
  ],
  'An organisation': [
    ['organisation', ''],
    ['ownConnection', ' per connection'],
  ],
  'A workspace': [
    ['workspace', ''],
    ['guests', ' for its guests together'],
  ],
  'The environment': [['environment', '']],
};

/** How much of anything one party may have at the same time. */
const boundTable = (): string =>
  markdownTable(
    ['What', ...Object.keys(boundColumns)],
    boundNames.map(name => [
      `${bounds[name].things} (\`${name}\`)`,
      ...Object.values(boundColumns).map(scopes => {
        const cells = scopes.flatMap(([scope, words]) => {
          const max = maxOf(name, scope);
          if (max === undefined) return [];
          return [number(max) + words];
        });
        return cells.join('; ') || '–';
      }),
    ]),
  );

const auths = { none: 'none', bearer: 'bearer token', sigv4: 'AWS Signature V4' } as const;

const routeTable = (): string =>
  markdownTable(
    ['Method', 'Path', 'Authentication', 'Purpose'],
    (Object.keys(routes) as RouteId[]).map(id => {
      const { api, method, path, auth } = routes[id];
      const url = `${api === 'portal' ? '{portal_url}' : ''}${path}`;
      return [method, `\`${url}\``, auths[auth], summaries[id]];
    }),
  );

const ruleTable = (): string =>
  markdownTable(
    ['Rule', 'Source', 'Status', 'Retry', 'Meaning', 'What to do'],
    (Object.keys(rules) as RuleId[]).map(id => {
      const { source, status, retry, meaning } = rules[id];
      return [`\`${id}\``, source, String(status), retry, meaning, advice.rules[id]];
    }),
  );

/** Whoever may have something to do with a thing of the portal. */
export const standings: Readonly<Record<string, Standing | undefined>> = {
  'signed out': undefined,
  'in no organisation': {},
  viewer: { own: 'viewer' },
  editor: { own: 'editor' },
  owner: { own: 'owner' },
  'invited viewer': { invited: 'viewer' },
  'invited editor': { invited: 'editor' },
  'invited owner': { invited: 'owner' },
  'owner elsewhere': {},
  operator: { operator: true },
};

const accessTable = (): string =>
  markdownTable(
    ['Call', ...Object.keys(standings)],
    (Object.keys(portalCalls) as PortalCallId[]).map(id => [
      `\`${id}\``,
      ...Object.values(standings).map(standing =>
        mayCall(portalCalls[id].access, standing) ? 'yes' : '–',
      ),
    ]),
  );

const codes = (names: readonly string[]): string => names.map(name => `\`${name}\``).join(', ');

const proofWords = (role: string, kind: CheckKind): string => {
  const proof = roles[role]?.proofs[kind];
  if (!proof) return '–';
  const { cases, oneOf } = proof;
  const words = [
    ...(cases.length > 0 ? [codes(cases)] : []),
    ...(oneOf.length > 0 ? [`one of ${codes(oneOf)}`] : []),
  ];
  return words.join('; ') || 'nothing more';
};

/** What each role has to prove besides what everyone has to, and which system has which role. */
const roleTables = (): string => {
  const rolesOf = (name: string) => roles[name]?.roles ?? [];
  const isRole = (name: string) => rolesOf(name).includes(name);
  const systems = checkRoles.filter(name => !isRole(name));
  const proofs = checkRoles
    .filter(isRole)
    .map(role => [`\`${role}\``, ...checkKinds.map(kind => proofWords(role, kind))]);
  const ofAll = checkKinds.map(kind => codes(everyone[kind]) || 'each case that is played');
  return [
    markdownTable(
      ['`--role`', ...checkKinds.map(kind => `As ${kind}`)],
      [['everyone', ...ofAll], ...proofs],
    ),
    '',
    markdownTable(
      ['`--role`', 'The system is', 'It has the roles'],
      systems.map(name => [`\`${name}\``, roles[name]?.name ?? '', codes(rolesOf(name))]),
    ),
  ].join('\n');
};

/** Replaces what stands between the markers of a generated part. */
export const between = (text: string, name: string, part: string, command = 'generate'): string => {
  const opening = `<!-- ${name}: generated by npm run ${command} -->`;
  const closing = `<!-- /${name} -->`;
  const [before = '', rest = ''] = text.split(opening);
  const [, after = ''] = rest.split(closing);
  return `${before}${opening}\n${part}\n${closing}${after}`;
};

/** The pages with generated parts, and what puts those in. */
export const pages: Readonly<Record<string, (text: string) => string>> = {
  'docs/routes.md': text => between(text, 'routes', routeTable()),
  'docs/checks.md': text => between(text, 'roles', roleTables()),
  'docs/portal-access.md': text => between(text, 'access', accessTable()),
  'docs/contract.md': text =>
    between(
      between(between(text, 'limits', limitTables()), 'bounds', boundTable()),
      'rules',
      ruleTable(),
    ),
};
