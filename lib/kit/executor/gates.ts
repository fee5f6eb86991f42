// The skills that look at editorial gates: gate-by-scope and hold-while-flagged.
import { elementsOf, read } from './paths.ts';
import {
  type Finding,
  linkScope,
  linksOf,
  type ReadySkill,
  type Snapshot,
  scopesOf,
} from './skill.ts';

const statusPath = 'editorial_gates[].status';

interface Gate {
  readonly id: string;
  readonly path: string;
  /** Absent: it could not be read. */
  readonly status?: string;
}

const gatesOf = (snapshot: Snapshot, type: string): readonly Gate[] =>
  elementsOf(snapshot, 'editorial_gates[]').flatMap(({ value, at }) => {
    const field = (name: string) => read(value, name, at)[0]?.value;
    if (field('gate_type') !== type) return [];
    const gate = { id: String(field('gate_id')), path: `${at}.status` };
    const status = field('status');
    return typeof status === 'string' ? [{ ...gate, status }] : [gate];
  });

const foundIn = ({ status }: Gate): string =>
  status === undefined ? `${statusPath} could not be read` : `it is ${status}`;

/** gate-by-scope: one warning per usage of an asset, whose destination has a gate of its own. */
export const gateByScope: ReadySkill = values => {
  const kind = values.text('gate_scope_kind');
  const map = values.textMap('path_map');
  const recordsPermits = values.flag('record_permits');
  const label = values.optionalText('blocks_label');

  const stateOf = (destination: string, gates: readonly Gate[]) => {
    const id = map.get(destination);
    const named = gates.filter(gate => gate.id === id);
    const gate = named.find(({ status }) => status !== 'APPROVED') ?? named[0];
    const needs = `${destination} needs gate ${id} APPROVED`;
    if (gate) {
      const why = `${needs}; ${foundIn(gate)}`;
      return { isOpen: gate.status === 'APPROVED', path: gate.path, why };
    }
    // A destination that no gate is named for is held, and so is one whose gate is missing.
    const unnamed = `no gate is named for ${destination}; APPROVED is needed`;
    const why = id === undefined ? unnamed : `${needs}; it is missing`;
    return { isOpen: false, path: statusPath, why };
  };

  return function gate(snapshot) {
    const gates = gatesOf(snapshot, kind);
    if (gates.length === 0) return [];
    return linksOf(snapshot).map(({ link_id, destination_id }): Finding => {
      const { isOpen, path, why } = stateOf(destination_id, gates);
      const scope = linkScope(link_id);
      if (isOpen && !recordsPermits) return { anchor: link_id, holds: false };
      const detail = `${isOpen ? 'Permitted' : (label ?? 'Withheld')}: ${why}.`;
      const common = { anchor: link_id, holds: true, scope, fields: [path], detail } as const;
      if (isOpen) return { ...common, severity: 'inform', blocks: [] };
      return { ...common, severity: 'hold', blocks: [scope] };
    });
  };
};

/**
 * hold-while-flagged: one warning per pending gate, for the story, or for each of its links: a gate
 * of SOM 1.0 names no link. A gate that vanishes was not released: its hold stands.
 */
export const holdWhileFlagged: ReadySkill = values => {
  const type = values.text('gate_type');
  const action = values.text('blocked_action');
  const clears = values.text('clears_by');
  const isPerLink = values.text('scope') === 'link';
  return function hold(snapshot) {
    const scopes = scopesOf(snapshot, isPerLink);
    const findingFor = (gate: Gate, scope: string): Finding => {
      const anchor = JSON.stringify([gate.id, scope]);
      if (gate.status !== undefined && gate.status !== 'PENDING') return { anchor, holds: false };
      const detail =
        `${action} is withheld by gate ${gate.id} of type ${type}: ${foundIn(gate)}. It clears ` +
        `by: ${clears}.`;
      const blocks = [`${action} ${snapshot.story_id}`];
      return { anchor, holds: true, scope, severity: 'hold', fields: [gate.path], detail, blocks };
    };
    return gatesOf(snapshot, type).flatMap(gate => scopes.map(scope => findingFor(gate, scope)));
  };
};
