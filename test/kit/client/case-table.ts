import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type Members = Readonly<Record<string, unknown>>;

export interface FullResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
}

/** One thing that happens while a client works: it sends a request, or hands out a message. */
export interface FlowItem {
  readonly request?: {
    readonly route:
      | 'token'
      | 'publish'
      | 'validate'
      | 'pull'
      | 'ack'
      | 'nack'
      | 'backlog'
      | 'skills';
    readonly token?: string;
    readonly query?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly json?: unknown;
    readonly text?: string;
    readonly base64?: string;
  };
  readonly response?: FullResponse | 'lost' | 'cut' | 'silent';
  /** Seconds since the step began. */
  readonly at?: number;
  readonly after_seconds?: number;
  readonly byte_seconds?: number;
  /** The id of the message. */
  readonly deliver?: string;
  readonly text?: string;
  readonly then?:
    | 'next'
    | 'ack'
    | 'ack_before'
    | 'release'
    | 'release_before'
    | 'leave'
    | 'ack_and_leave'
    | 'fail';
  readonly takes_seconds?: number;
  readonly delay_seconds?: number;
  readonly settlement?: Members;
}

export interface Step {
  readonly do:
    | 'publish'
    | 'validate'
    | 'together'
    | 'compose'
    | 'consume'
    | 'wait'
    | 'backlog'
    | 'registrations';
  readonly flow?: readonly FlowItem[];
  readonly seconds?: number;
  readonly message?: Members;
  readonly messages?: readonly Members[];
  readonly text?: string;
  readonly base64?: string;
  readonly draft?: Members;
  readonly options?: Members;
  readonly deadline_seconds?: number;
  readonly stop_after_seconds?: number;
  readonly verdict?: Members;
  readonly deadlines_seconds?: readonly number[];
  readonly verdicts?: readonly (Members | string)[];
  readonly found?: Members;
  readonly error?: string;
  readonly attempts_made?: number;
  readonly attempts?: readonly Members[];
  readonly ends_at?: number;
  readonly ends?: string | { readonly refused: string };
  readonly lost?: readonly string[];
  readonly slow?: number;
}

export interface Case {
  readonly id: string;
  readonly title: string;
  readonly random?: number;
  readonly client?: Members;
  readonly steps: readonly Step[];
}

const folder = join(__dirname, '../../../clients/cases');

/** Replaces `"$name"` by the value of that name. */
const filled = (value: unknown, names: Members): unknown => {
  if (typeof value === 'string' && value.startsWith('$')) return names[value.slice(1)];
  if (Array.isArray(value)) return value.map(inner => filled(inner, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, filled(inner, names)]),
  );
};

/** All rows of clients/cases. */
export const caseTable: readonly Case[] = readdirSync(folder)
  .filter(name => name.endsWith('.json'))
  .flatMap(name => {
    const table: { let: Members; cases: unknown[] } = JSON.parse(
      readFileSync(join(folder, name), 'utf8'),
    );
    return filled(table.cases, table.let) as Case[]; // the files are ours
  });
