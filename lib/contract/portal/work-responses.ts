import type { ReportResponse } from './checks.ts';
import type { OutcomeResponse } from './overview-responses.ts';

/**
 * Beside the response to a change: it was made, but could not be written to the record of changes.
 */
export interface NotRecorded {
  readonly not_recorded?: true;
}

/** A page of a list; `next` asks for the one after it. */
export type Page<Name extends string, Entry> = Readonly<Record<Name, readonly Entry[]>> & {
  readonly next?: string;
};

export interface ConnectionResponse {
  readonly connection_id: string;
  readonly kind: 'producer' | 'consumer';
  readonly status: 'active' | 'paused' | 'revoked' | 'suspended';
  readonly organisation_id: string;
  readonly app_id: string;
  readonly app_name: string;
  readonly system_ids: readonly string[];
  readonly grants: readonly string[];
  readonly receives: readonly string[];
  /** Empty: every system. */
  readonly sources: readonly string[];
  readonly created_at: string;
  /** The tier, or `custom`. */
  readonly tier: string;
  readonly quota: { readonly per_second: number; readonly burst: number; readonly per_day: number };
  /** What its secrets are, never they themselves. */
  readonly secrets: {
    readonly current?: { readonly issued_at: string; readonly last_used_at?: string };
    readonly previous?: { readonly valid_until: string; readonly last_used_at?: string };
  };
}

export interface RoleResponse {
  readonly role_id: string;
  readonly role_arn: string;
  readonly status: 'pending' | 'verified' | 'revoked';
  readonly created_at: string;
  readonly verified_at?: string;
  readonly challenge_until?: string;
}

export interface ClientResponse {
  readonly issuer: string;
  readonly client: string;
  readonly created_at: string;
}

export interface IssuerResponse {
  readonly issuer: string;
  readonly jwks_uri: string;
  readonly audience: string;
  readonly client_claim: 'azp' | 'client_id' | 'sub';
  readonly created_at: string;
}

export interface ConnectionDetail extends ConnectionResponse {
  /**
   * Goes back with every change: a change that somebody else made in between is not overwritten.
   */
  readonly version: string;
  /** Whether the person's organisation owns it. */
  readonly is_own: boolean;
  readonly may_change: boolean;
  /** Whether the person may pause, resume and revoke it: the house may do that to a vendor's. */
  readonly may_end: boolean;
  /** Whether the person may say which client of the house's identity providers acts for it. */
  readonly may_bind: boolean;
  readonly queue_url?: string;
  readonly roles: readonly RoleResponse[];
  readonly clients: readonly ClientResponse[];
}

/** A connection with its secret, which is shown once. */
export interface IssuedResponse extends ConnectionDetail {
  readonly client_secret: string;
  /** Under the names that the clients read. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface TermsResponse {
  readonly kinds: readonly ('producer' | 'consumer')[];
  readonly grants: readonly string[];
  readonly receives: readonly string[];
}

export interface MakerResponse extends TermsResponse {
  readonly organisation_id: string;
  readonly name: string;
}

export interface MessageResponse {
  readonly message_id: string;
  readonly message_type: string;
  readonly system_id: string;
  readonly accepted_at: string;
  readonly size_bytes: number;
}

/** A copy of a message that waits for a consumer. `unsent`: accepted, and not in its queue yet. */
export interface QueuedResponse extends MessageResponse {
  readonly state: 'queued' | 'received' | 'returned' | 'unsent';
  /** How often this copy was received. */
  readonly receive_count: number;
  readonly correlation_id: string;
  /** What the message is called: a headline, a slug. */
  readonly facts: Readonly<Record<string, string>>;
  /** When it was put into the queue. */
  readonly sent_at?: string;
  readonly replay_id?: string;
  /** When it can be received again. */
  readonly visible_at?: string;
  /** Whether nothing is delivered before it, so that it may be skipped. */
  readonly is_next: boolean;
}

/** A correlation whose next message cannot be received now, and why. */
export interface BlockedResponse {
  readonly correlation_id: string;
  readonly why: 'received' | 'returned' | 'unsent';
  readonly message_id: string;
  readonly visible_at?: string;
  /** What the message is, if it is among those that are listed. */
  readonly message_type?: string;
  readonly facts?: Readonly<Record<string, string>>;
}

interface SkipsResponse {
  /** Pulls delete these messages instead of returning them. */
  readonly skips: readonly {
    readonly message_id: string;
    /** Of a copy that a replay sent. */
    readonly replay_id?: string;
    readonly skipped_at: string;
  }[];
}

export interface ReplayResponse {
  readonly replay_id: string;
  readonly status: 'running' | 'finished' | 'cancelled' | 'failed';
  readonly reason?: string;
  readonly connection_id: string;
  readonly from: string;
  readonly to: string;
  readonly type?: string;
  readonly correlation_id?: string;
  readonly message_id?: string;
  readonly sent: number;
  /** Correlations that cannot be sent yet. */
  readonly waiting_for?: readonly string[];
  readonly problem?: string;
  readonly percent: number;
  readonly reached: string;
  readonly created_at: string;
}

export type VendorResponse = MakerResponse & {
  readonly since: string;
  readonly connections: number;
};

export type RunResponse = Pick<
  ReportResponse,
  'run_id' | 'kind' | 'status' | 'reason' | 'connections' | 'started_at' | 'ended_at'
>;

export interface SkillInstanceResponse {
  readonly registration_id: string;
  readonly skill_id: string;
  readonly skill_version: string;
  readonly instance_label: string;
  readonly paused: boolean;
  readonly created_at: string;
}

/** Either all instances of a file, or what is wrong with it: one line each. */
interface RegisteredResponse {
  readonly registrations: readonly SkillInstanceResponse[];
  readonly problems: readonly string[];
}

export interface AssetResponse {
  readonly asset_id: string;
  readonly asset_type: string;
  readonly status: string;
  /** Differs when anything of the asset does. */
  readonly digest: string;
}

export interface StoryMessage extends MessageResponse {
  readonly producer_id: string;
  readonly consumers: number;
  /**
   * Where it is for those that the reader may see; absent for what is older than what one page
   * reads of that.
   */
  readonly delivered?: OutcomeResponse['consumers'];
  /** What tells a person what happened: members of the payload, such as `headline`. */
  readonly facts: Readonly<Record<string, string>>;
  /** Of a snapshot that has any. */
  readonly assets?: readonly AssetResponse[];
}

export interface StorySummary {
  readonly correlation_id: string;
  readonly story_id?: string;
  readonly title?: string;
  readonly messages: number;
  readonly last_accepted_at: string;
}

export interface WorkResponses {
  'connection.list': {
    /** A page, in the order that was asked for. `vendor`: the name of its organisation. */
    readonly connections: readonly (ConnectionResponse & { readonly vendor?: string })[];
    /** How many there are on all pages. */
    readonly total: number;
    /** The person's organisations that may make connections here, and which. */
    readonly makers: readonly MakerResponse[];
    readonly issuers: readonly IssuerResponse[];
    readonly may_add_issuers: boolean;
    readonly next?: string;
  };
  'connection.vendors': Page<'vendors', VendorResponse>;
  'connection.endVendor': { readonly revoked: number };
  'connection.closeOrganisation': { readonly organisation_id: string };
  'connection.make': IssuedResponse;
  'connection.addIssuer': IssuerResponse;
  'connection.removeIssuer': { readonly issuer: string };
  'connection.show': ConnectionDetail;
  /**
   * What it sent, in base64. Asked with `at` and `message`, as a refusal of that message has them.
   */
  'connection.refusedText': { readonly content: string };
  /** Requests today (UTC), those that were refused included; absent if nothing counts them. */
  'connection.usage': { readonly used_today?: number };
  'connection.permit': ConnectionDetail;
  'connection.rotate': IssuedResponse;
  'connection.endSecret': ConnectionDetail;
  'connection.pause': ConnectionDetail;
  'connection.resume': ConnectionDetail;
  'connection.revoke': ConnectionDetail;
  'connection.registerRole': ConnectionDetail & {
    readonly challenge: string;
    readonly request: {
      readonly method: 'POST';
      readonly url: string;
      readonly service: string;
      readonly region: string;
      readonly body: string;
    };
  };
  'connection.endRole': ConnectionDetail;
  'connection.bindClient': ConnectionDetail;
  'connection.unbindClient': ConnectionDetail;
  'queue.show': SkipsResponse & {
    readonly connection_id: string;
    readonly may_skip: boolean;
    readonly may_replay: boolean;
    readonly visible: number;
    readonly in_flight: number;
    readonly unsent: number;
    /**
     * Of the copy that is in the queue for longest; absent if nothing waits, or that is not known.
     */
    readonly oldest_accepted_at?: string;
    readonly oldest_vanishes_at?: string;
    /** The queue holds more than is listed. */
    readonly is_cut: boolean;
    /** Why the bus cannot know what is delivered next; absent if it does. */
    readonly unknown?: string;
    readonly blocked: readonly BlockedResponse[];
    readonly messages: readonly QueuedResponse[];
  };
  'queue.skip': SkipsResponse;
  'queue.replays': Page<'replays', ReplayResponse>;
  /** `counted_until`: messages accepted later were not counted. */
  'queue.countReplay': {
    readonly messages: number;
    readonly counted_until?: string;
    /** Says that the range begins later than what was asked for. */
    readonly note?: string;
  };
  'queue.startReplay': ReplayResponse & { readonly note?: string };
  'queue.replay': ReplayResponse;
  'queue.cancelReplay': ReplayResponse;
  'skill.list': Page<'registrations', SkillInstanceResponse> & { readonly may_change: boolean };
  'skill.file': { readonly yaml: string };
  'skill.register': RegisteredResponse;
  'skill.show': SkillInstanceResponse & {
    readonly values: Readonly<Record<string, unknown>>;
    /** The JSON text of `values`, if it has digits that the page's numbers cannot hold. */
    readonly exact_values?: string;
    readonly authority_scale?: readonly string[];
  };
  'skill.replace': RegisteredResponse;
  'skill.pause': SkillInstanceResponse;
  'skill.resume': SkillInstanceResponse;
  'skill.end': SkillInstanceResponse;
  'check.all': Page<'runs', RunResponse>;
  'check.list': Page<'runs', RunResponse> & { readonly may_start: boolean };
  'check.start': RunResponse;
  'check.show': ReportResponse;
  'check.stop': RunResponse;
  'validate.message': { readonly status: number; readonly verdict: object };
  'validate.publish': { readonly status: number; readonly verdict: object };
}
