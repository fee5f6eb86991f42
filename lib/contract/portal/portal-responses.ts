import type { IdentityProblem, TokenRefusal } from '../refusals.ts';
import type { AlertResponses } from './alerts.ts';
import type { HealthResponse, UsageResponse } from './operator-responses.ts';
import type {
  ConsumerState,
  LeftOut,
  OutcomeResponse,
  OverviewResponse,
  SearchResponse,
  VolumeResponse,
} from './overview-responses.ts';
import type { PortalCallId, PortalError, Role } from './portal.ts';
import type {
  NotRecorded,
  Page,
  StoryMessage,
  StorySummary,
  TermsResponse,
  WorkResponses,
} from './work-responses.ts';

export interface PortalErrorBody {
  readonly code: PortalError;
  readonly message: string;
}

interface PersonResponse {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  readonly email?: string;
}

interface OrganisationResponse {
  readonly organisation_id: string;
  readonly name: string;
  readonly type: 'house' | 'vendor';
  readonly status: 'requested' | 'active' | 'declined' | 'suspended' | 'revoked';
  readonly tier: string;
  readonly quota?: {
    readonly per_second: number;
    readonly burst: number;
    readonly per_day: number;
  };
  readonly created_at: string;
}

/** Who asks for an organisation, and why; only while it waits for the operator. */
interface AskingResponse {
  readonly asked_by?: { readonly name: string; readonly email?: string };
  readonly reason?: string;
}

interface MemberResponse {
  readonly member_id: string;
  readonly name: string;
  readonly email?: string;
  readonly role: Role;
  readonly since: string;
}

interface NamedResponse {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

/**
 * An invitation that nobody has taken up: a member's has a role, a vendor's a workspace and what it
 * may connect there.
 */
export interface OpenInvitationResponse extends Partial<TermsResponse> {
  readonly invitation_id: string;
  readonly valid_until: string;
  readonly by?: string;
  /** Only for whoever has this address verified. */
  readonly email?: string;
  readonly role?: Role;
  readonly workspace_id?: string;
}

/** What became of the account of whoever is invited, where people cannot make their own. */
export interface AccountResponse {
  /**
   * `none`: no address was given; `known`: the address has one; `mailed`: a mail brings its
   * password, `link_mailed`: another one the link; `failed`: it could not be made.
   */
  readonly account?: 'none' | 'known' | 'mailed' | 'link_mailed' | 'failed';
  /** Why it failed: the name of an error. */
  readonly problem?: string;
}

interface InvitationResponse extends AccountResponse {
  /** Shown once. */
  readonly invitation: string;
  readonly valid_until: string;
}

export interface ActivityResponse {
  /** Opaque; later lines have greater texts. */
  readonly position: string;
  readonly at: string;
  readonly kind:
    | 'accepted'
    | 'refused'
    | 'repeated'
    | 'received'
    | 'acknowledged'
    | 'released'
    /** The consumer was told to skip them: a pull deleted them. */
    | 'skipped'
    /** Requests of one connection that were refused with 429 in one minute. */
    | 'limited'
    | 'replayed'
    /** More publishes of one connection in one second than are kept one by one. */
    | 'attempts'
    | 'token_refused'
    /** Tokens of one identity provider that were refused for one reason in one minute. */
    | 'identity_refused'
    | 'changed'
    | 'token_attempts';
  readonly connection_id?: string;
  /** Of `changed`: what was done, by whom, and the same in words that follow the name. */
  readonly what?: string;
  readonly by?: string;
  readonly words?: string;
  readonly messages: readonly {
    readonly message_id?: string;
    readonly message_type?: string;
    readonly correlation_id?: string;
  }[];
  readonly outcome?: OutcomeResponse;
  readonly rules?: readonly string[];
  readonly reason?: TokenRefusal | IdentityProblem;
  /** Of `identity_refused`: whose tokens, and the last client that is bound to no connection. */
  readonly issuer?: string;
  readonly client?: string;
  readonly count?: number;
}

export interface ViolationResponse {
  readonly rule: string;
  readonly source: string;
  readonly message: string;
  readonly path?: string;
}

export interface ConsumerLifeResponse {
  readonly connection_id: string;
  readonly state: ConsumerState;
  /** The message_id that has to leave first. */
  readonly waits_for?: string;
  readonly received: readonly {
    readonly received_at: string;
    readonly receive_count: number;
    readonly visible_at?: string;
    readonly acknowledged_at?: string;
    readonly released_at?: string;
    readonly replay_id?: string;
  }[];
  readonly replayed: readonly { readonly replay_id: string; readonly sent_at: string }[];
}

interface LifeResponse {
  readonly message_id: string;
  readonly verdict: 'accepted' | 'refused';
  readonly message_type?: string;
  readonly correlation_id?: string;
  readonly system_id?: string;
  readonly producer_id?: string;
  readonly accepted_at?: string;
  readonly size_bytes?: number;
  readonly consumers: readonly ConsumerLifeResponse[];
  readonly refusals: readonly {
    readonly refused_at: string;
    readonly connection_id: string;
    readonly size_bytes: number;
    readonly violations: readonly ViolationResponse[];
  }[];
  readonly repeated_at: readonly string[];
}

/** What each call answers: the functions and the pages share these types. */
export interface PortalResponses extends WorkResponses, AlertResponses {
  'sign.in': undefined;
  'sign.back': undefined;
  'sign.session': {
    readonly person: PersonResponse | undefined;
    readonly organisations: readonly { readonly organisation_id: string; readonly role: Role }[];
    readonly is_operator: boolean;
  };
  'sign.out': { readonly continue_at: string };
  'organisation.request': OrganisationResponse;
  /** What the person has asked for, and the operator has not approved. */
  'organisation.requests': Page<'organisations', OrganisationResponse>;
  'organisation.invitation': OpenInvitationResponse & {
    readonly organisation_name: string;
    readonly workspace_name?: string;
  };
  'organisation.join': { readonly organisation_id: string; readonly workspace_id?: string };
  'organisation.show': OrganisationResponse & {
    readonly may_add_workspaces: boolean;
    readonly may_invite: boolean;
    readonly may_close: boolean;
    /** Whether the texts of refused messages are kept for a day. */
    readonly keeps_refused: boolean;
    readonly workspaces: readonly NamedResponse[];
    readonly invited_to: readonly NamedResponse[];
    readonly apps: readonly NamedResponse[];
    readonly next?: string;
  };
  'organisation.keepRefused': { readonly keeps_refused: boolean } & NotRecorded;
  'organisation.members': Page<'members', MemberResponse>;
  'organisation.changes': {
    readonly changes: readonly {
      readonly at: string;
      readonly by: string;
      readonly what: string;
      /** What was done, after the name of who did it: `paused fennel-mam`. */
      readonly words: string;
      readonly facts: Readonly<Record<string, string>>;
    }[];
    readonly next?: string;
  };
  'organisation.addWorkspace': NamedResponse;
  'organisation.setRole': MemberResponse;
  'organisation.removeMember': MemberResponse;
  'organisation.invitations': Page<'invitations', OpenInvitationResponse>;
  'organisation.inviteMember': InvitationResponse;
  'organisation.withdrawInvitation': { readonly invitation_id: string };
  'workspace.show': NamedResponse & {
    readonly organisation_id: string;
    readonly connections: readonly {
      readonly connection_id: string;
      readonly app_name: string;
      readonly kind: 'producer' | 'consumer';
      readonly status: string;
      readonly organisation_id: string;
    }[];
    readonly next?: string;
  };
  /** `searched_to`: how far back it was searched, to the minute; absent: to the beginning. */
  'workspace.activity': Page<'activity', ActivityResponse> & { readonly searched_to?: string };
  'workspace.message': LifeResponse & {
    /** What the message says, as {@link StoryMessage} has it; of a refused one, nothing is kept. */
    readonly facts?: StoryMessage['facts'];
    readonly may_replay: boolean;
    readonly left_out: readonly LeftOut[];
  };
  /**
   * The bytes that the producer sent, in base64; of a snapshot, also the number that the next one
   * of its story needs.
   */
  'workspace.content': { readonly content: string; readonly next_sequence_number?: string };
  'workspace.story': {
    readonly messages: readonly StoryMessage[];
    readonly next?: string;
    /** Of the newest snapshot on the page. */
    readonly story_id?: string;
    /** When the bus last forgot the story's last snapshot. */
    readonly started_over_at?: string;
    readonly may_start_over: boolean;
    /**
     * What starting over forgets, for those who may: its version goes back as what they have seen.
     */
    readonly last_snapshot?: {
      readonly version: number;
      readonly sequence_number: string;
      readonly updated_at: string;
    };
  };
  'workspace.startStoryOver': { readonly started_over_at: string } & NotRecorded;
  'workspace.stories': Page<'stories', StorySummary>;
  'workspace.search': SearchResponse;
  'workspace.overview': OverviewResponse;
  'workspace.volume': VolumeResponse;
  'workspace.inviteVendor': InvitationResponse;
  'operator.organisations': Page<'organisations', OrganisationResponse & AskingResponse>;
  'operator.usage': UsageResponse;
  'operator.health': HealthResponse;
  'operator.raise': {
    readonly limit: string;
    readonly of: string;
    readonly id: string;
    readonly max: number;
  } & NotRecorded;
  'operator.allot': {
    readonly changed: number;
    /** Connections that still have their old one: to repeat the change finishes it. */
    readonly left: readonly string[];
  };
  'operator.approve': OrganisationResponse;
  'operator.decline': OrganisationResponse;
  'operator.suspend': OrganisationResponse;
  'operator.resume': OrganisationResponse;
}

/**
 * A call that answers something else than its row says does not compile, nor does a row without a
 * response.
 */
export type ResponseOf<Id extends PortalCallId> = PortalResponses[Id];
