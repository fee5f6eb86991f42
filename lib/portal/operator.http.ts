import { type Tier, tiers } from '../contract/limits.ts';
import type { AnswerOf } from '../contract/portal-answers.ts';
import type { Edge } from '../http/respond.ts';
import { textOf } from '../json/value.ts';
import {
  type ApprovalPorts,
  approveOrganisation,
  declineOrganisation,
  resumeOrganisation,
  suspendOrganisation,
} from '../registry/approval.ts';
import type { Changes } from '../registry/changes.ts';
import { type Members, standingIn } from '../registry/members.ts';
import { type Declined, isDeclined } from '../registry/operator.ts';
import type { Organisation } from '../registry/organisations.ts';
import { declinedReply, portalAnswer, portalRefusal, type Reply } from './browser.http.ts';
import { type Call, type CallPorts, serveCalls } from './calls.http.ts';
import { noteChange } from './noting.ts';
import { organisationRecord } from './organisation.http.ts';

export interface OperatorCallPorts extends CallPorts, ApprovalPorts {
  readonly members: Pick<Members, 'put' | 'affiliationOf'>;
  readonly changes: Pick<Changes, 'note'>;
}

const isTier = (text: string): text is Tier => Object.hasOwn(tiers, text);

/** A decision on an organisation, recorded where its members see it. */
const decision =
  (
    ports: OperatorCallPorts,
    what: string,
    decide: (id: string, call: Call) => Promise<Organisation | Declined>,
  ) =>
  async (call: Call): Promise<Reply<AnswerOf<'operator.approve'>>> => {
    const { o = '' } = call.subject;
    const decided = await decide(o, call);
    if (isDeclined(decided)) return declinedReply(decided);
    const noted = await noteChange(ports, call.person, { organisation: o, what });
    return portalAnswer({ ...organisationRecord(decided), ...noted });
  };

/** `/api/operator/…`: which organisations there are, and what they may. */
export const operatorEdge: Edge<OperatorCallPorts> = (ports, settings) =>
  serveCalls(
    ports,
    {
      group: 'operator',
      standingOf: async person =>
        standingIn(await ports.members.affiliationOf(person), { organisation: undefined }),
      handlers: {
        'operator.organisations': async () => {
          const parties = await ports.directory.list('organisation');
          const organisations = parties.flatMap(party =>
            party.kind === 'organisation' ? [organisationRecord(party)] : [],
          );
          return portalAnswer({ organisations });
        },
        'operator.approve': async call => {
          const tier = textOf(call.body, 'tier');
          if (!isTier(tier)) return portalRefusal('request.invalid');
          return decision(ports, 'organisation.approve', id => approveOrganisation(ports, id, tier))(call);
        },
        'operator.decline': decision(ports, 'organisation.decline', id => declineOrganisation(ports, id)),
        'operator.suspend': decision(ports, 'organisation.suspend', id => suspendOrganisation(ports, id)),
        'operator.resume': decision(ports, 'organisation.resume', id => resumeOrganisation(ports, id)),
      },
    },
    settings,
  );
