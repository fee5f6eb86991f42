import {
  approveOrganisation,
  declineOrganisation,
  resumeOrganisation,
  suspendOrganisation,
} from '../access/people/approval.ts';
import type { ChangeName } from '../access/people/noting.ts';
import type { Organisation } from '../access/people/organisations.ts';
import type { Allotment } from '../access/registry/connection.ts';
import { type Declined, isDeclined } from '../access/registry/declined.ts';
import { quotaFact, raiseLimit, setOrganisationQuota } from '../access/registry/quotas.ts';
import { watchedAlarms } from '../contract/alarms.ts';
import { boundNames, highestMax } from '../contract/bounds.ts';
import { customQuota, type Tier, tiers } from '../contract/limits.ts';
import { defined, fitting, iso } from '../contract/outside.ts';
import { usageOrganisations } from '../contract/portal/operator-responses.ts';
import type { ResponseOf } from '../contract/portal/portal-responses.ts';
import { type JsonObject, textOf } from '../platform/json/value.ts';
import { invalidRequest } from './browser.http.ts';
import { type CallHandlers, type Handler, note, partIn } from './calls.http.ts';
import { healthOf } from './health.ts';
import { organisationRecord } from './organisation.http.ts';
import type { PortalPorts } from './ports.ts';
import { readUsage, startOfDay } from './usage.ts';

const isTier = (text: string): text is Tier => Object.hasOwn(tiers, text);

const decision =
  (
    what: ChangeName,
    decide: (
      ports: PortalPorts,
      id: string,
      body: JsonObject,
    ) => Promise<Organisation | Declined | typeof invalidRequest>,
  ): Handler<ResponseOf<'operator.approve'>> =>
  async (ports, call) => {
    const decided = await decide(ports, call.subject.o, call.body);
    if (isDeclined(decided) || 'headers' in decided) return decided;
    return { ...organisationRecord(decided), ...(await note(ports, call, { what })) };
  };

const numberIn = (body: JsonObject, name: string, max: number): number | undefined => {
  const value = body[name];
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max
    ? value
    : undefined;
};

const allotmentIn = (body: JsonObject): Allotment | undefined => {
  const tier = textOf(body, 'tier');
  if (isTier(tier)) return { tier };
  const perSecond = numberIn(body, 'per_second', customQuota.perSecond);
  const burst = numberIn(body, 'burst', customQuota.burst);
  const perDay = numberIn(body, 'per_day', customQuota.perDay);
  return perSecond && burst && perDay
    ? { tier: 'standard', quota: { perSecond, burst, perDay } }
    : undefined;
};

/** Whoever is let in is known by the members from then on. */
const askingOf = ({ status, requestedBy, reason }: Organisation) => {
  if (status !== 'requested') return {};
  const { name, email } = requestedBy ?? {};
  return {
    ...(name === undefined ? {} : { asked_by: { name, ...defined({ email }) } }),
    ...defined({ reason }),
  };
};

/** Where CloudWatch shows alarms; undefined outside of AWS. */
const consoleOf = (region = ''): string | undefined => {
  if (region === '') return undefined;
  return `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#alarmsV2:`;
};

export const operatorCalls: CallHandlers<'operator'> = {
  'operator.organisations': async ({ directory }, call) => {
    const page = await directory.page('organisation', undefined, partIn(call));
    const records = page.entries.flatMap(party =>
      party.kind === 'organisation' ? [{ ...organisationRecord(party), ...askingOf(party) }] : [],
    );
    const { entries: organisations, ...more } = fitting(
      { ...page, entries: records },
      one => one.organisation_id,
    );
    return { organisations, ...more };
  },

  'operator.usage': async (ports, { query }) => {
    const now = ports.clock.now();
    const { organisations = '' } = query;
    const asked = [...new Set(organisations.split(',').filter(id => id !== ''))];
    if (asked.length === 0 || asked.length > usageOrganisations) return invalidRequest;
    return {
      since: iso(startOfDay(now)),
      read_at: iso(now),
      organisations: await readUsage(ports, asked, now),
    };
  },

  'operator.health': async ({ alarmStates, clock }, { settings: { isLocal, region } }) => {
    const readings = await alarmStates.read(watchedAlarms.map(({ id }) => id));
    const now = clock.now();
    if (isLocal && readings.size === 0)
      return { read_at: iso(now), quiet: 0, alarms: [], is_unwatched: true };
    return { ...healthOf(readings, now), ...defined({ alarms_at: consoleOf(region) }) };
  },

  'operator.approve': decision('organisation.approve', async (ports, id, body) => {
    const tier = textOf(body, 'tier');
    return isTier(tier) ? approveOrganisation(ports, id, tier) : invalidRequest;
  }),
  'operator.decline': decision('organisation.decline', declineOrganisation),
  'operator.suspend': decision('organisation.suspend', suspendOrganisation),
  'operator.resume': decision('organisation.resume', resumeOrganisation),

  /** The quota of all connections of an organisation, those to come included. */
  'operator.allot': async (ports, call) => {
    const allotment = allotmentIn(call.body);
    if (!allotment) return invalidRequest;
    const result = await setOrganisationQuota(ports, call.subject.o, allotment);
    if (isDeclined(result)) return result;
    const noted = await note(ports, call, {
      what: 'organisation.quota',
      facts: quotaFact(allotment),
    });
    return { changed: result.changed.length, left: result.failed.map(({ id }) => id), ...noted };
  },

  'operator.raise': async (ports, call) => {
    const { body, subject } = call;
    const bound = boundNames.find(name => name === textOf(body, 'limit'));
    const max = numberIn(body, 'max', highestMax);
    if (!bound || max === undefined) return invalidRequest;
    const workspace = textOf(body, 'workspace_id');
    const choice = { bound, organisation: subject.o, ...(workspace === '' ? {} : { workspace }) };
    const raised = await raiseLimit(ports, choice, max);
    if (isDeclined(raised)) return raised;
    const { slot } = raised;
    const facts = { limit: slot.bound, of: slot.scope, max: `${raised.max}` };
    const noted = await note(ports, call, { what: 'organisation.limit', facts });
    return { limit: slot.bound, of: slot.scope, id: slot.of, max: raised.max, ...noted };
  },
};
