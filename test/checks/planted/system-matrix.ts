import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { ReportResponse } from '../../../lib/contract/portal/checks.ts';
import { type RoleName, roleNames } from '../../../lib/kit/newsroom/roles.ts';
import type { CheckedBus } from '../checked-bus.ts';
import { modulesWith, type Patch } from './plant.ts';
import {
  producedCases,
  receivedCases,
  type Side,
  type SystemModules,
  systemCheckedOnBus,
  systemFiles,
} from './system-on-bus.ts';

interface Planting extends Pick<Patch, 'find' | 'replace'> {
  /** Cases that point to the fault: one of them has to fail. */
  readonly meant: readonly string[];
}

interface SystemFault extends Planting, Pick<Patch, 'file'> {
  readonly fault: string;
  readonly side: Side;
  readonly instead?: Readonly<Partial<Record<RoleName, Planting & { readonly because: string }>>>;
}

const { faults }: { readonly faults: Readonly<Record<string, SystemFault>> } = parse(
  readFileSync('test/checks/planted/system-faults.yaml', 'utf8'),
);

/** A system of the newsroom with one fault. */
export interface Cell {
  readonly role: RoleName;
  readonly name: string;
  readonly fault: string;
  readonly side: Side;
  readonly patch: Pick<Patch, 'file' | 'find' | 'replace'>;
  readonly meant: readonly string[];
  /** Why another fault was planted. */
  readonly because?: string;
}

const cellOf = (role: RoleName, name: string, written: SystemFault): Cell => {
  const { fault, side, file, instead } = written;
  const { find, replace, meant, ...other } = instead?.[role] ?? written;
  const because = 'because' in other ? { because: other.because } : {};
  return { role, name, fault, side, patch: { file, find, replace }, meant, ...because };
};

/** Each fault in each system, one fault after the other. */
export const cells: readonly Cell[] = Object.entries(faults).flatMap(([name, fault]) =>
  roleNames.map(role => cellOf(role, name, fault)),
);

const casesOf: Readonly<Record<Side, readonly string[]>> = {
  consumer: receivedCases,
  producer: producedCases,
};

export interface PlayedCell extends Cell {
  readonly report: ReportResponse;
  readonly failed: readonly string[];
  /** The case that points to the fault; undefined: it was not found. */
  readonly found: string | undefined;
}

/** Plays a run on a system with a fault. */
export const playCell = async (bus: CheckedBus, cell: Cell): Promise<PlayedCell> => {
  const { role, side, patch, meant } = cell;
  const [first = ''] = meant;
  const modules = await modulesWith<SystemModules>(systemFiles, { ...patch, meant: first });
  const report = await systemCheckedOnBus(bus, modules, { role, side, cases: casesOf[side] });
  const failed = report.cases
    .filter(({ verdict }) => verdict === 'failed')
    .map(({ case_id }) => case_id);
  return { ...cell, report, failed, found: meant.find(id => failed.includes(id)) };
};
