import type { Connection, Credentials } from '../access/registry/connection.ts';
import { type Declined, declined } from '../access/registry/declined.ts';
import { matches } from '../access/registry/patterns.ts';
import { isSubscribed } from '../access/registry/permissions.ts';
import type { TestMarks } from '../access/registry/test-runs.ts';
import { testSystem } from '../contract/identifiers.ts';
import type { CheckKind } from '../contract/portal/checks.ts';
import type { CheckRuns, Run } from './run.ts';

export interface TestedPorts {
  readonly connections: Pick<Credentials, 'find'>;
  readonly marks: TestMarks;
  readonly checkRuns: Pick<CheckRuns, 'find'>;
}

export interface TestedNames {
  readonly kind: CheckKind;
  readonly consumer?: string;
  readonly producer?: string;
}

export interface TestedConnections {
  readonly consumer?: Connection;
  readonly producer?: Connection;
}

const wanted: Readonly<Record<CheckKind, readonly Connection['kind'][]>> = {
  executor: ['consumer', 'producer'],
  consumer: ['consumer'],
  producer: ['producer'],
};

/** What a run may test besides. */
const optional: Readonly<Record<CheckKind, readonly Connection['kind'][]>> = {
  executor: [],
  // Its reactions.
  consumer: ['producer'],
  producer: [],
};

export type RunStarter = Connection | 'operator';

const problemWithNames = (request: TestedNames, starter: RunStarter): string | undefined => {
  const tested = wanted[request.kind];
  if (starter !== 'operator') {
    const { id, kind } = starter;
    if (!tested.includes(kind))
      return `${id} is a ${kind}: a run of the kind ${request.kind} does not test it.`;
    if (request[kind] !== id)
      return `${id} starts runs that test itself: leave out ${kind}, or give ${id}.`;
  }
  const missing = tested.find(kind => request[kind] === undefined);
  if (missing !== undefined)
    return `A run of the kind ${request.kind} needs a ${missing} connection.`;
  const known = [...tested, ...optional[request.kind]];
  const extra = wanted.executor.find(kind => request[kind] !== undefined && !known.includes(kind));
  return extra && `A run of the kind ${request.kind} does not test a ${extra}: leave out ${extra}.`;
};

const problemWith = (
  { id, kind }: Pick<Connection, 'id' | 'kind'>,
  found: Connection | undefined,
  starter: RunStarter,
): string | undefined => {
  // What is not of its organisation is, for a connection, as if it were not there.
  const isHidden = starter !== 'operator' && found?.organisation !== starter.organisation;
  if (!found || isHidden || found.status === 'revoked' || found.isSuspended) {
    const words = starter === 'operator' ? 'There is' : 'Your organisation has';
    return `${words} no active ${kind} connection ${id}.`;
  }
  if (found.kind !== kind) return `${id} is a ${found.kind}: this run needs a ${kind} there.`;
  return found.status === 'paused' ? `${id} is paused: resume it first.` : undefined;
};

export const findTested = async (
  { connections }: TestedPorts,
  request: TestedNames,
  starter: RunStarter,
): Promise<TestedConnections | Declined> => {
  const problem = problemWithNames(request, starter);
  if (problem !== undefined) return declined(problem);
  const found: { -readonly [Kind in keyof TestedConnections]: Connection } = {};
  const named = optional[request.kind].filter(kind => request[kind] !== undefined);
  for (const kind of [...wanted[request.kind], ...named]) {
    const id = request[kind] ?? '';
    const connection = (await connections.find(id))?.connection;
    const why = problemWith({ id, kind }, connection, starter);
    if (why !== undefined || !connection) return declined(why ?? '');
    found[kind] = connection;
  }
  const { consumer, producer } = found;
  if (!consumer || !producer) return found;
  const both = `${consumer.id} and ${producer.id}`;
  if (consumer.workspace !== producer.workspace)
    return declined(`${both} are in different workspaces.`);
  if (consumer.organisation !== producer.organisation)
    return declined(`${both} belong to different organisations.`);
  return found;
};

export const triggerOf = (messageType: string) => ({ messageType, systemId: testSystem });

export const permissionProblem = (
  kind: CheckKind,
  { consumer, producer }: TestedConnections,
): string | undefined => {
  if (consumer && consumer.sources.length > 0 && !consumer.sources.includes(testSystem))
    return (
      `${consumer.id} gets messages from ${consumer.sources.join(', ')} only: add the source ` +
      `${testSystem} for the run, or leave its sources empty.`
    );
  if (kind !== 'executor') return undefined;
  if (consumer && !isSubscribed(consumer, triggerOf('story.context')))
    return `${consumer.id} does not receive story.context: add it to what it receives.`;
  if (producer?.grants.some(grant => matches(grant, 'skill.warning.raised'))) return undefined;
  return `${producer?.id} may not send skill.warning.raised: grant it.`;
};

export const busyWith = async (
  { checkRuns }: TestedPorts,
  tested: readonly Connection[],
): Promise<Declined | undefined> => {
  for (const { id, underTest } of tested) {
    const other = underTest === undefined ? undefined : await checkRuns.find(underTest);
    if (other?.status === 'running')
      return declined(`${id} is in the run ${other.id} already: wait for its end, or stop it.`);
  }
  return undefined;
};

export const markAll = async (
  { marks }: TestedPorts,
  run: Run,
  tested: readonly Connection[],
): Promise<Declined | undefined> => {
  const marked: string[] = [];
  for (const { id, underTest } of tested) {
    if (await marks.mark(id, run.id, underTest)) {
      marked.push(id);
      continue;
    }
    for (const one of marked) await marks.unmark(one, run.id);
    return declined(`Another run with ${id} was started at the same time.`);
  }
  return undefined;
};
