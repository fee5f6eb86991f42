import {
  type Bucket,
  customQuota,
  daySeconds,
  limits,
  throttles,
  tiers,
  windows,
} from '../lib/contract/limits.ts';
import { bodyLimitOf } from '../lib/contract/routes.ts';
import type { RuleId } from '../lib/contract/rules.ts';
import { markdownTable } from './markdown-table.ts';

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
  return count === 1 ? `${name === 'hour' ? 'an' : 'a'} ${name}` : `${number(count)} ${name}s`;
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

const within = ({ requests, seconds }: { readonly requests: number; readonly seconds: number }): string =>
  `${requests} ${seconds === 60 ? 'a minute' : `in ${time(seconds)}`}`;

const refused = (rule: RuleId, status: number): string => `${status} \`${rule}\``;

const limited = refused('rate.limited', 429);

const rows: readonly (readonly [string, string, string])[] = [
  [
    'A connection on `/v1/tenants/{t}/…`, by bearer token',
    'requests a second, and bursts, of its tier',
    limited,
  ],
  ['The same connection', 'requests a day of its tier; resets at 00:00 UTC', refused('quota.exceeded', 429)],
  ['Token URL, each client that uses HTTP Basic', within(windows.tokenPerBasicClient), limited],
  ['Token URL, each source address', within(windows.tokenPerAddress), limited],
  ['Token URL, all callers together', rate(throttles.token), limited],
  ['Any route, each source address', within(windows.anyRoutePerAddress), limited],
  ['Signed routes of workspaces, all cloud roles together', rate(throttles.signed), limited],
  ['The whole bus, all callers together', rate(throttles.wholeApi), limited],
  ['`/api/skills/library`, all callers together', rate(throttles.skillLibrary), limited],
  ['`/api/skills/validate`, all callers together', rate(throttles.skillValidate), limited],
  ['`/docs`, all callers together', rate(throttles.documentation), limited],
  ['One message', size(bodyLimitOf('publish')), refused('message.too_large', 413)],
  ['Nesting depth of a message', `${limits.messageDepth} levels`, refused('message.too_deep', 400)],
  ['One token request body', size(bodyLimitOf('token')), '400 `invalid_request`'],
  ['Receipt handles in one ack or nack', `${limits.receiptHandles.max}`, refused('pull.invalid_body', 400)],
  ['One ack or nack', size(bodyLimitOf('ack')), refused('message.too_large', 413)],
  ['One role verification', size(bodyLimitOf('verify-principal')), refused('message.too_large', 413)],
  ['One check of skill instances', size(bodyLimitOf('skill-validate')), '400 `skills.unreadable`'],
  ['The same check', `${limits.skillInstances} instances`, '200 with a problem for the whole file'],
  ['Any other request body', size(limits.gatewayBodyBytes), refused('message.too_large', 413)],
  [
    'One pull',
    `${limits.pullMessages.max} messages and a wait of ${limits.pullWaitSeconds.max} seconds`,
    refused('pull.invalid_parameter', 400),
  ],
];

const quotas = { ...tiers, 'custom, at most': customQuota };

/** Every limit that a caller can meet, and the tiers of connections. */
export const limitTables = (): string =>
  [
    markdownTable(['What', 'Limit', 'Answer above it'], rows),
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
