// The skills that look at editorial gates: gate-by-scope and hold-while-flagged.
import { elementsOf, valueInside } from './paths.ts';
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
  /** Where its status stands. */
  readonly path: string;
  /** Absent: it could not be read. */
  readonly status?: string;
}

const gatesOf = (snapshot: Snapshot, type: string): readonly Gate[] =>
  elementsOf(snapshot, 'editorial_gates[]').flatMap(element => {
    if (valueInside(element, 'gate_type') !== type) return [];
    const id = String(valueInside(element, 'gate_id'));
    const gate = { id, path: `${element.path}.status` };
    const status = valueInside(element, 'status');
    return typeof status === 'string' ? [{ ...gate, status }] : [gate];
  });

const statusText = ({ status }: Gate): string =>
  status === undefined ? `${statusPath} could not be read` : `it is ${status}`;

/** Whether something may go to a destination, and the field that says so. */
interface Permission {
  readonly isOpen: boolean;
  readonly path: string;
  readonly why: string;
}

/** gate-by-scope: one warning per usage of an asset, whose destination has a gate of its own. */
export const gateByScope: ReadySkill = values => {
  const gateType = values.text('gate_scope_kind');
  const gateIds = values.textMap('path_map');
  const recordsPermits = values.flag('record_permits');
  const label = values.optionalText('blocks_label') ?? 'Withheld';

  const permissionFor = (destination: string, gates: readonly Gate[]): Permission => {
    const id = gateIds.get(destination);
    // A destination that no gate is named for is held, and so is one whose gate is missing.
    const held = { isOpen: false, path: statusPath };
    if (id === undefined)
      return { ...held, why: `no gate is named for ${destination}; APPROVED is needed` };

    const needs = `${destination} needs gate ${id} APPROVED`;
    const named = gates.filter(gate => gate.id === id);
    const gate = named.find(({ status }) => status !== 'APPROVED') ?? named[0];
    if (!gate) return { ...held, why: `${needs}; it is missing` };
    const isOpen = gate.status === 'APPROVED';
    return { isOpen, path: gate.path, why: `${needs}; ${statusText(gate)}` };
  };

  return function gate(snapshot) {
    const gates = gatesOf(snapshot, gateType);
    if (gates.length === 0) return [];

    return linksOf(snapshot).map(({ link_id, destination_id }): Finding => {
      const { isOpen, path, why } = permissionFor(destination_id, gates);
      if (isOpen && !recordsPermits) return { anchor: link_id, holds: false };

      const scope = linkScope(link_id);
      const common = { anchor: link_id, holds: true, scope, fields: [path] } as const;
      if (isOpen)
        return { ...common, severity: 'inform', detail: `Permitted: ${why}.`, blocks: [] };
      return { ...common, severity: 'hold', detail: `${label}: ${why}.`, blocks: [scope] };
    });
  };
};

/**
 * hold-while-flagged: one warning per pending gate, for the story, or for each of its links: a gate
 * of SOM 1.0 names no link. A gate that vanishes was not released: its hold stands.
 */
export const holdWhileFlagged: ReadySkill = values => {
  const gateType = values.text('gate_type');
  const action = values.text('blocked_action');
  const clearsBy = values.text('clears_by');
  const isPerLink = values.text('scope') === 'link';

  return function hold(snapshot) {
    const gates = gatesOf(snapshot, gateType);
    const scopes = scopesOf(snapshot, isPerLink);

    const findingFor = (gate: Gate, scope: string): Finding => {
      const { id, path, status } = gate;
      const anchor = JSON.stringify([id, scope]);
      if (status !== undefined && status !== 'PENDING') return { anchor, holds: false };

      const detail =
        `${action} is withheld by gate ${id} of type ${gateType}: ${statusText(gate)}. It clears ` +
        `by: ${clearsBy}.`;
      const blocks = [`${action} ${snapshot.story_id}`];
      return { anchor, holds: true, scope, severity: 'hold', fields: [path], detail, blocks };
    };

    return gates.flatMap(gate => scopes.map(scope => findingFor(gate, scope)));
  };
};
