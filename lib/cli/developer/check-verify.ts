import { hash } from 'node:crypto';
import { evidenceIn } from '../../checks/reports/evidence.ts';
import { isJsonObject, type JsonObject, textOf } from '../../platform/json/value.ts';
import { reasonOf, request } from '../frame/bus.ts';
import { ChecksFailed, CommandRefused } from '../frame/failures.ts';

const namesNothing =
  'The file names no report of a bus: only reports of finished runs do, ' +
  'in the forms that sombus check writes.';

const unknownHere = (baseUrl: string): string =>
  `The bus at ${baseUrl} knows no such report: it was made up, its run is more than 90 days old, ` +
  'or another bus wrote it.';

const verdictIn = (evidence: JsonObject): string => {
  const { passed, totals } = evidence;
  const given = isJsonObject(totals) ? totals : {};
  const counts = Object.entries(given).filter(([, count]) => count !== 0);
  const words = counts.map(([verdict, count]) => `${count} ${verdict}`).join(', ');
  const result = passed === true ? 'passed' : 'not passed';
  const [suite, ended] = ['suite', 'ended_at'].map(name => textOf(evidence, name));
  return `${suite}, run of ${ended}: ${result} (${words})`;
};

/**
 * Compares a report with what the bus has written down.
 *
 * @param baseUrl of the bus that is trusted, whatever the file says
 * @returns what the bus says of the report
 * @throws ChecksFailed if the file is not as the bus wrote it
 */
export const verifiedReport = async (file: Uint8Array, baseUrl: string): Promise<string> => {
  const evidence = evidenceIn(Buffer.from(file).toString('latin1'));
  if (evidence === undefined) throw new CommandRefused(namesNothing);
  const found = await request(`${baseUrl}/reports/${evidence}`);
  if (found.status === 404) throw new ChecksFailed(unknownHere(baseUrl));
  if (found.status !== 200) throw new CommandRefused(reasonOf(found));
  const digests = found.body['sha256'];
  const own = hash('sha256', file);
  const said = verdictIn(found.body);
  if (isJsonObject(digests) && Object.values(digests).includes(own))
    return `The report is as the bus wrote it: ${said}.`;
  throw new ChecksFailed(
    `The report has been changed: its SHA-256 is ${own}, which is none of those that the bus ` +
      `wrote. What the bus says: ${said}.`,
  );
};
