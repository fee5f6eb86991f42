import { stringify } from 'yaml';
import { instances, validate } from '../skills/hostile-bodies.ts';

/** CPU milliseconds of a call, user and system. */
const cpu = (work: () => unknown): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

/**
 * The least of a few rounds; of up to forty where the first were too slow, as on a machine that
 * others keep busy.
 */
const least = (work: () => unknown, enough: number): number => {
  let milliseconds = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3 || (round < 40 && milliseconds > enough); round += 1)
    milliseconds = Math.min(milliseconds, cpu(work));
  return milliseconds;
};

const row = (what: string, milliseconds: number, most: number): boolean => {
  process.stdout.write(
    `${milliseconds.toFixed(1).padStart(6)} ms of at most ${most} ms  ${what}\n`,
  );
  return milliseconds <= most;
};

const ofInstances = ([form, body, type, most]: readonly [
  string,
  string,
  string,
  number,
]): boolean => {
  const bytes = Buffer.from(body);
  for (let round = 0; round < 20; round++) validate(bytes, type);
  return row(
    `200 instances as ${form}, ${bytes.length} bytes`,
    least(() => validate(bytes, type), most),
    most,
  );
};

process.stdout.write('skills: processor time of a check, warm\n');
const met = [
  ofInstances(['JSON', JSON.stringify(instances), 'application/json', 20]),
  // Almost all of it is the YAML library's parser: the checks themselves are the JSON row.
  ofInstances([
    'YAML',
    stringify({ skills: instances }, { aliasDuplicateObjects: false }),
    'application/yaml',
    60,
  ]),
];
if (met.includes(false)) process.exitCode = 1;
