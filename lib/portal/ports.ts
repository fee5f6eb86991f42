import type { AccountMaker } from '../access/people/accounts.ts';
import type { Invitations } from '../access/people/invitations.ts';
import type { Members } from '../access/people/members.ts';
import type { Changes } from '../access/people/noting.ts';
import type { Directory } from '../access/people/organisations.ts';
import type { Connections } from '../access/registry/connection.ts';
import type { IdentityProviders, RaisedBounds, UsagePlans } from '../access/registry/ports.ts';
import type { Registry } from '../access/registry/registry.ts';
import type { TestMarks, TestRuns } from '../access/registry/test-runs.ts';
import type { Seals } from '../access/seals/seal.ts';
import type { Principals } from '../access/trust/principals.ts';
import type { QueueAdmin } from '../access/trust/queue-access.ts';
import type { CountHistory } from '../bus/activity/counts.ts';
import type { AttemptRecorder, History, RefusedTexts } from '../bus/activity/records.ts';
import type { Acceptances, Ledger, Log, Stories } from '../bus/delivery/log.ts';
import type { HeldMessages, QueueDepths, Queues } from '../bus/delivery/queues.ts';
import type { PendingLogs } from '../bus/delivery/relay.ts';
import type { Archive, ArchiveTail, ReplayList, Replays } from '../bus/replay/replay.ts';
import type { CheckRuns } from '../checks/run.ts';
import type { Clock, Ids } from '../contract/outside.ts';
import type { SkillRegistrations } from '../skills/registrations.ts';
import type { Alerts } from './alerts/alerts.ts';
import type { Mails } from './alerts/mail.ts';
import type { Webhooks } from './alerts/webhook.ts';
import type { AlarmStates } from './health.ts';
import type { Sessions, SignInProvider } from './session.ts';

/**
 * What the portal's calls use, as far as the route's row lets them: one function serves all of
 * them.
 */
export interface PortalPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly busVersion: string;
  readonly archiveDays: number;
  readonly seals: Seals;
  readonly sessions: Sessions;
  readonly provider: SignInProvider;
  readonly members: Members;
  readonly directory: Directory;
  readonly bounds: RaisedBounds;
  readonly invitations: Invitations;
  readonly accounts: AccountMaker;
  readonly connections: Connections;
  readonly registry: Pick<Registry, 'connection' | 'isRegistered' | 'consumersOf'>;
  readonly queueAdmin: QueueAdmin;
  readonly usagePlans: UsagePlans;
  readonly principals: Principals;
  readonly identityProviders: IdentityProviders;
  readonly skills: SkillRegistrations;
  readonly marks: TestMarks;
  readonly testRuns: TestRuns;
  readonly checkRuns: Pick<CheckRuns, 'add' | 'find' | 'listOf' | 'seen' | 'stop'>;
  readonly replays: Pick<Replays, 'add' | 'find' | 'findAll' | 'end'>;
  readonly replayList: ReplayList;
  readonly depths: QueueDepths;
  readonly queueAges: HeldMessages;
  readonly alarmStates: AlarmStates;
  readonly ledger: Ledger;
  readonly log: Log;
  readonly queues: Queues;
  readonly recorder: AttemptRecorder;
  readonly backlog: PendingLogs;
  readonly archive: Archive;
  readonly archiveTail: ArchiveTail;
  readonly acceptances: Acceptances;
  readonly stories: Stories;
  readonly history: History;
  readonly counts: CountHistory;
  readonly refusedTexts: RefusedTexts;
  readonly changes: Changes;
  readonly alerts: Pick<Alerts, 'of' | 'find' | 'add' | 'save' | 'remove'>;
  readonly webhooks: Webhooks;
  readonly mails: Mails;
}
