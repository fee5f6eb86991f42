import { randomUUID } from 'node:crypto';
import { shortReport, wholeReport } from '../../lib/checks/reports/report.ts';
import { reportForms } from '../../lib/checks/reports/report-forms.ts';
import { verifiedReport } from '../../lib/cli/developer/check-verify.ts';
import type { ReportResponse } from '../../lib/contract/portal/checks.ts';
import { reportForms as saved } from '../../web/checks/report-files.ts';
import { checkedBusHere } from './checked-bus.ts';

const bus = checkedBusHere();

/** The report of a run of a producer that sent nothing, as its bus has it. */
const reported = async (): Promise<ReportResponse> => {
  const producer = await bus.connect('producer');
  const id = await bus.begin({
    kind: 'producer',
    producer: producer.id,
    messageTypes: ['link.committed'],
    cases: ['messages/link.committed'],
    systemVersion: '4.2 beta',
  });
  return bus.finish(id, {
    work: async () => {
      await bus.publishLink(producer, randomUUID());
    },
  });
};

const formsOf = (report: ReportResponse) =>
  Object.entries(reportForms).map(([form, write]) => [form, Buffer.from(write(report))] as const);

const verify = (file: Uint8Array) => verifiedReport(file, bus.service.baseUrl);

test('a report in each form is as the bus wrote it, until a byte of it is changed', async () => {
  const report = await reported();
  expect(report).toMatchObject({ passed: true, system_version: '4.2 beta' });
  const forms = formsOf(report);
  expect(forms.map(([form]) => form)).toEqual(['html', 'xml', 'json', 'md', 'svg']);
  for (const [form, file] of forms) {
    const said = `${report.suite}, run of ${report.ended_at}: passed (1 passed)`;
    const verified = verify(file).then(words => `${form}: ${words}`);
    await expect(verified).resolves.toBe(`${form}: The report is as the bus wrote it: ${said}.`);
    const changed = Buffer.from(file);
    changed[changed.length - 3] = (changed.at(-3) ?? 0) ^ 1;
    await expect(verify(changed)).rejects.toThrow('The report has been changed: its SHA-256 is');
  }
});

test('the portal saves what the bus wrote, byte for byte', async () => {
  const report = await reported();
  const sent: ReportResponse = JSON.parse(JSON.stringify(report));
  const names = saved.map(({ file }) => file);
  expect(names).toEqual(['html', 'xml', 'md', 'json']);
  for (const { make } of saved) {
    const file = Buffer.from(await make(sent));
    await expect(verify(file)).resolves.toContain('The report is as the bus wrote it');
  }
});

test('a report that is not the one of the digests names none', async () => {
  const { run_id } = await reported();
  const run = await bus.ports.checkRuns.find(run_id);
  const seen = await bus.ports.checkRuns.seen(run_id);
  if (!run) throw new Error('There is no run.');
  expect(shortReport(run, seen, 1024 * 1024)).toMatchObject({ evidence: expect.any(String) });
  expect(shortReport(run, seen, 1_000)).not.toHaveProperty('evidence');
  const older = wholeReport({ ...run, busVersion: '0.0.1' }, seen);
  expect(older.evidence).toBeUndefined();
  expect(older.notes).toEqual([expect.stringContaining('the run was played by som-bus 0.0.1')]);
});

test('a report that no bus wrote is told apart from one that names none', async () => {
  const made = Buffer.from(`{"evidence": "/v1/reports/${'a'.repeat(32)}"}`);
  await expect(verify(made)).rejects.toThrow('knows no such report');
  await expect(verify(Buffer.from('{}'))).rejects.toThrow('The file names no report of a bus');
});

test('whoever knows the address learns digests, verdict and date, and nobody else is told of it', async () => {
  const report = await reported();
  const { origin } = new URL(bus.service.baseUrl);
  const response = await fetch(`${origin}${report.evidence}`);
  const told: object = JSON.parse(await response.text());
  expect(response.status).toBe(200);
  expect(Object.keys(told).sort()).toEqual([
    'bus_version',
    'ended_at',
    'kind',
    'passed',
    'sha256',
    'started_at',
    'suite',
    'totals',
  ]);
  const text = JSON.stringify(told);
  const secret = [report.run_id, report.workspace_id, report.connections[0]?.connection_id];
  for (const one of secret) expect(text).not.toContain(one);
  expect(report.evidence).not.toContain(report.run_id);
});

test.each([
  ['a long text', 'x'.repeat(2_100)],
  ['a longer one', '€'.repeat(900)],
  ['the key of a run', 'taaaaaaaaaaaa'],
  ['a null character', '\0'],
  ['half of a name', 'a'.repeat(31)],
])('%s names no report: nobody needs a token to ask', async (_, name) => {
  const response = await fetch(`${bus.service.baseUrl}/reports/${encodeURIComponent(name)}`);
  expect([response.status, await response.text()]).toEqual([
    404,
    expect.stringContaining('check.unknown'),
  ]);
});

test('a run that goes on has no address yet', async () => {
  const producer = await bus.connect('producer');
  const id = await bus.begin({ kind: 'producer', producer: producer.id });
  expect((await bus.report(id)).evidence).toBeUndefined();
});
