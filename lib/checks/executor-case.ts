import type { Basis } from '../contract/checks.ts';
import type { JsonObject } from '../json/value.ts';
import type { Case } from './plan.ts';

/** `checks/executor.yaml`: the cases for skill executors as they are written; `checks/executor.schema.json` describes the members. */
export interface CaseFile {
  readonly snapshot: JsonObject;
  /** By the name of the skill, in the order of the report. */
  readonly skills: Readonly<Record<string, WrittenSkill>>;
  /** The cases that nobody can play yet, by what they wait for. */
  readonly pending: readonly {
    readonly reason: string;
    readonly basis: Basis;
    /** From id to title. */
    readonly cases: Readonly<Record<string, string>>;
  }[];
}

export interface WrittenSkill {
  readonly slots: Readonly<Record<string, Pick<Slot, 'values' | 'deciding'>>>;
  readonly cases: Readonly<Record<string, WrittenCase>>;
}

export interface WrittenCase {
  readonly title: string;
  readonly basis: Basis;
  readonly slots: readonly string[];
  /** It is played only in a run that says `binds: first-seen`; what it waits for in others. */
  readonly unless_bound?: string;
  readonly steps: readonly WrittenStep[];
}

/** One of `story`, `message` and `again`. */
export interface WrittenStep {
  /** A snapshot: what it has besides the file's, or instead. */
  readonly story?: JsonObject;
  readonly message?: { readonly type: string; readonly payload: JsonObject };
  readonly envelope?: JsonObject;
  /** It is kept back, so that a later one overtakes it. */
  readonly withheld?: boolean;
  /** Delivers the message of an earlier step, counted from 1. */
  readonly again?: number;
  readonly warnings?: readonly ExpectedWarning[];
}

/** A place in the cases for one configured skill instance. */
export interface Slot {
  readonly id: string;
  /** Without `smart-stories/`. */
  readonly skill: string;
  readonly values: JsonObject;
  /** An instance that is there already fits if it has the same of these. The rest is taken from it. */
  readonly deciding: readonly string[];
}

/** A warning that an executor has to send. In its texts `{values.x}` stands for a value of the instance and `{story}` for the story_id. */
export interface ExpectedWarning {
  readonly slot: string;
  /** `configured`: as the instance says, else `flag`. */
  readonly severity: 'hold' | 'flag' | 'inform' | 'configured';
  /** The `link_id` of the usage entry that it is about; without one its scope is the story. */
  readonly link?: string;
  /** Paths that `affected_fields` has to have, where any index stands for `[]`; `some`: not empty; `none`: empty. */
  readonly fields: readonly string[] | 'some' | 'none';
  /** Texts that `detail` has to have. */
  readonly detail: readonly string[];
  /** Texts that `detail` must not have: they would say something else. */
  readonly lacks?: readonly string[];
  /** The path that cannot be read, which `detail` has to say. */
  readonly unreadable?: string;
  readonly element?: { readonly id: string; readonly path: string };
  /** Texts that the entries of `blocks` have to have, for a hold. */
  readonly blocks?: readonly string[];
  /** It changes what was declared before, instead of opening a declaration: its ref may be the same. */
  readonly changes?: boolean;
}

export interface ExecutorExpectation {
  readonly warnings: readonly ExpectedWarning[];
  /** The trigger came before: silence, or the same bytes again. */
  readonly repeats?: true;
}

export type ExecutorCase = Case<ExecutorExpectation>;

export const slotsOf = ({ needs }: Pick<ExecutorCase, 'needs'>): readonly string[] =>
  needs.flatMap(need => (need.kind === 'instance' ? [need.slot] : []));
