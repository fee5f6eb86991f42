import { boundNames, highestMax } from '../contract/bounds.ts';
import { customQuota, type Tier, tiers } from '../contract/limits.ts';
import type { ResponseOf } from '../contract/portal-responses.ts';
import type { EdgeSettings } from '../http/respond.ts';
import { type JsonObject, textOf } from '../json/value.ts';
import {
  approveOrganisation,
  declineOrganisation,
  resumeOrganisation,
  suspendOrganisation,
} from '../registry/approval.ts';
import type { Allotment } from '../registry/connection.ts';
import { standingIn } from '../registry/members.ts';
import { noteChange } from '../registry/noting.ts';
import { type Declined, isDeclined } from '../registry/operator.ts';
import type { Organisation } from '../registry/organisations.ts';
import { quotaFact, raiseLimit, setOrganisationQuota } from '../registry/quotas.ts';
import { declinedReply, portalRefusal, portalResponse, type Reply } from './browser.http.ts';
import type { Call, CallHandler, CallService } from './calls.http.ts';
import { nextOf, partIn } from './lists.http.ts';
import { organisationRecord } from './organisation.http.ts';
import type { PortalPorts } from './ports.ts';

const isTier = (text: string): text is Tier => Object.hasOwn(tiers, text);

const decision =
  (what: string, decide: (ports: PortalPorts, id: string) => Promise<Organisation | Declined>) =>
  async (ports: PortalPorts, call: Call): Promise<Reply<ResponseOf<'operator.approve'>>> => {
    const { o = '' } = call.subject;
    const decided = await decide(ports, o);
    if (isDeclined(decided)) return declinedReply(decided);
    const noted = await noteChange(ports, call.person, { organisation: o, what });
    return portalResponse({ ...organisationRecord(decided), ...noted });
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
  return perSecond && burst && perDay ? { tier: 'standard', quota: { perSecond, burst, perDay } } : undefined;
};

/** The quota of all connections of an organisation, those to come included. */
const allot: CallHandler<'operator.allot'> = async (ports, { person, subject: { o = '' }, body }) => {
  const allotment = allotmentIn(body);
  if (!allotment) return portalRefusal('request.invalid');
  const result = await setOrganisationQuota(ports, o, allotment);
  if (isDeclined(result)) return declinedReply(result);
  const change = { organisation: o, what: 'organisation.quota', facts: quotaFact(allotment) };
  const noted = await noteChange(ports, person, change);
  const left = result.failed.map(({ id }) => id);
  return portalResponse({ changed: result.changed.length, left, ...noted });
};

const raise: CallHandler<'operator.raise'> = async (ports, { person, subject: { o = '' }, body }) => {
  const bound = boundNames.find(name => name === textOf(body, 'limit'));
  const max = numberIn(body, 'max', highestMax);
  if (!bound || max === undefined) return portalRefusal('request.invalid');
  const workspace = textOf(body, 'workspace_id');
  const choice = { bound, organisation: o, ...(workspace === '' ? {} : { workspace }) };
  const raised = await raiseLimit(ports, choice, max);
  if (isDeclined(raised)) return declinedReply(raised);
  const { slot } = raised;
  const facts = { limit: slot.bound, of: slot.scope, max: `${raised.max}` };
  const noted = await noteChange(ports, person, { organisation: o, what: 'organisation.limit', facts });
  return portalResponse({ limit: slot.bound, of: slot.scope, id: slot.of, max: raised.max, ...noted });
};

/** Where the operator finds the alarms: to read them here would need a grant on all alarms of the account. */
const alarmsAt = ({ isLocal, region = '' }: EdgeSettings) =>
  isLocal || region === ''
    ? {}
    : { alarms_at: `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#alarmsV2:` };

export const operatorCalls: CallService<'operator'> = {
  standingOf: async ({ members }, person) =>
    standingIn(await members.affiliationOf(person), { organisation: undefined }),
  handlers: {
    'operator.organisations': async ({ directory }, call) => {
      const page = await directory.page('organisation', undefined, partIn(call));
      const organisations = page.entries.flatMap(party =>
        party.kind === 'organisation' ? [organisationRecord(party)] : [],
      );
      return portalResponse({ organisations, ...alarmsAt(call.settings), ...nextOf(page) });
    },
    'operator.approve': async (ports, call) => {
      const tier = textOf(call.body, 'tier');
      if (!isTier(tier)) return portalRefusal('request.invalid');
      return decision('organisation.approve', (_ports, id) => approveOrganisation(ports, id, tier))(
        ports,
        call,
      );
    },
    'operator.allot': allot,
    'operator.raise': raise,
    'operator.decline': decision('organisation.decline', declineOrganisation),
    'operator.suspend': decision('organisation.suspend', suspendOrganisation),
    'operator.resume': decision('organisation.resume', resumeOrganisation),
  },
};
