/** An alarm that is not quiet. */
export interface AlarmLine {
  readonly alarm_id: string;
  /**
   * `no_data`: CloudWatch has nothing yet to judge by. `missing`: the environment should have it
   * and has not.
   */
  readonly state: 'ringing' | 'no_data' | 'missing';
  /** When it came into this state; absent if it is not known. */
  readonly since?: string;
  readonly meaning: string;
  /** Of the runbook. */
  readonly section: string;
}

export interface HealthResponse {
  readonly read_at: string;
  /** How many alarms are quiet. */
  readonly quiet: number;
  /** All others, those that ring first. */
  readonly alarms: readonly AlarmLine[];
  /** On a laptop no alarm watches the service: nothing is known. */
  readonly is_unwatched?: true;
  /** Where CloudWatch shows the alarms. */
  readonly alarms_at?: string;
}

/** What the connections of an organisation did today, in all workspaces. */
export interface UsageLine {
  readonly organisation_id: string;
  readonly accepted: number;
  readonly refused: number;
  /** Requests over the limit. */
  readonly limited: number;
  /** Copies of its messages for consumers. */
  readonly delivered: number;
  /** By its consumers. */
  readonly acknowledged: number;
  /** Whose publishes took the greatest part of a daily quota; pulls count towards it, too. */
  readonly busiest?: {
    readonly connection_id: string;
    readonly app_name: string;
    readonly published: number;
    readonly per_day: number;
  };
  /** False: it did more than one request may read. */
  readonly is_complete: boolean;
}

/** How many organisations one request may ask about. */
export const usageOrganisations = 10;

export interface UsageResponse {
  readonly since: string;
  readonly read_at: string;
  /** Of those that were asked for: as many as one request may read, the first ones. */
  readonly organisations: readonly UsageLine[];
}
