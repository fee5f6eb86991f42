import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { markdownReport } from '../../../lib/checks/reports/report-text.ts';
import type { ReportResponse } from '../../../lib/contract/portal/checks.ts';
import { checkedBus } from '../checked-bus.ts';
import { goodRuns, playGood } from './system-good.ts';
import { type Cell, cells, type PlayedCell, playCell } from './system-matrix.ts';

// Every planted fault in every system of the newsroom: `npm run planted:systems -- --to folder`.

const { values } = parseArgs({
  options: {
    to: { type: 'string', default: 'planted' },
    systems: { type: 'string' },
    faults: { type: 'string' },
    good: { type: 'boolean', default: false },
  },
});

const isWanted = (list: string | undefined, name: string): boolean =>
  list === undefined || list.split(',').includes(name);

const folder = values.to;
mkdirSync(folder, { recursive: true });

const keep = (name: string, report: ReportResponse): void => {
  writeFileSync(join(folder, `${name}.md`), markdownReport(report));
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(report, undefined, 2));
};

const row = (texts: readonly string[]): string => `| ${texts.join(' | ')} |`;

const rowOf = ({ role, name, fault, found, failed, because }: PlayedCell): string =>
  row([role, name, because ?? fault, found ?? '**not found**', failed.join(', ')]);

const table = (rows: readonly string[]): string =>
  [
    row(['System', 'Fault', 'What was planted', 'Found by', 'Failed']),
    row(['---', '---', '---', '---', '---']),
    ...rows,
    '',
  ].join('\n');

/** Whether every system without a fault passes. */
const tryGood = async (): Promise<boolean> => {
  let isGood = true;
  for (const { role, side } of goodRuns.filter(one => isWanted(values.systems, one.role))) {
    const bus = await checkedBus();
    const report = await playGood(bus, role, side).finally(() => bus.close());
    keep(`${role}.good.${side}`, report);
    const { passed, totals, unproven } = report;
    console.error(JSON.stringify({ role, side, passed, totals, unproven }));
    isGood &&= passed && unproven.length === 0;
  }
  return isGood;
};

const tryCells = async (wanted: readonly Cell[]): Promise<boolean> => {
  const rows: string[] = [];
  let missed = 0;
  for (const cell of wanted) {
    const bus = await checkedBus();
    const played = await playCell(bus, cell).finally(() => bus.close());
    const { role, name, found, failed } = played;
    keep(`${role}.${name}`, played.report);
    console.error(JSON.stringify({ role, name, found, failed }));
    if (found === undefined) missed += 1;
    rows.push(rowOf(played));
    writeFileSync(join(folder, 'table.md'), table(rows));
  }
  console.log(
    `${wanted.length - missed} of ${wanted.length} faults were found: ${folder}/table.md`,
  );
  return missed === 0;
};

const run = async (): Promise<void> => {
  if (values.good) {
    process.exitCode = (await tryGood()) ? 0 : 1;
    return;
  }
  const wanted = cells.filter(
    ({ role, name }) => isWanted(values.systems, role) && isWanted(values.faults, name),
  );
  process.exitCode = (await tryCells(wanted)) ? 0 : 1;
};

run().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 2;
});
