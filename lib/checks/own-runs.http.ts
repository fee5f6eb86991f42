import { type Declined, isDeclined } from '../access/registry/declined.ts';
import type { CallerRegistry } from '../access/registry/registry.ts';
import { noPosition, openPart, positionsOf, sealedNext } from '../access/seals/positions.ts';
import type { Seals } from '../access/seals/seal.ts';
import { type AdmittedConnection, asMember } from '../access/trust/admission.http.ts';
import { limits } from '../contract/limits.ts';
import { defined } from '../contract/outside.ts';
import { refuse } from '../contract/refusals.ts';
import { type HttpRequest, preferredType, unreadableJson } from '../platform/http/request.ts';
import type { Edge } from '../platform/http/respond.ts';
import { type HttpResponse, refusalResponse, response } from '../platform/http/response.ts';
import { jsonInOrder } from '../platform/json/as-written.ts';
import { parseJson } from '../platform/json/parse.ts';
import { isJsonObject } from '../platform/json/value.ts';
import type { OwnCases } from './consumer-plan.ts';
import { readOwnCases } from './own-cases.ts';
import { isEvidenceName } from './reports/evidence.ts';
import { runResponse, wholeReport } from './reports/report.ts';
import { reportForms } from './reports/report-forms.ts';
import type { CheckRuns, Run } from './run.ts';
import { runRequest } from './run-request.ts';
import { type StartPorts, startRun } from './start.ts';

interface CallerPorts {
  readonly registry: CallerRegistry;
}

type RunPorts<Calls extends keyof CheckRuns> = CallerPorts & {
  readonly checkRuns: Pick<CheckRuns, Calls>;
};

const uncached = { 'cache-control': 'no-store' };

const reply = (body: unknown, { log }: AdmittedConnection): HttpResponse =>
  response(200, body, { headers: uncached, log });

const byConsumer =
  'A run of the kind executor is started by its consumer, which names the producer.';

/** The cases of a body, whose messages are played with every digit. */
const ownCasesIn = (text: string): OwnCases | Declined => {
  const body = jsonInOrder(text);
  return readOwnCases({ cases: isJsonObject(body) ? body['own_cases'] : undefined });
};

/**
 * `POST /v1/tenants/{t}/checks`: a run of the caller itself, or of an executor that it is one of
 * the connections of.
 */
export const startRunEdge: Edge<StartPorts & CallerPorts> = ports =>
  asMember(ports.registry, async function startRunRoute({ connection, log }, request) {
    const invalid = (reason: string): HttpResponse =>
      refusalResponse(refuse('check.invalid', reason), log);
    const unreadable = unreadableJson(request);
    if (unreadable) return refusalResponse(unreadable, log);
    const parsed = parseJson(request.body);
    if (!parsed.ok) return invalid(parsed.violations[0].message);

    const { own_cases: own, ...body } = parsed.value;
    const runOfBody = runRequest(body, connection);
    if (isDeclined(runOfBody)) return invalid(runOfBody.reason);
    const ownCases = own === undefined ? undefined : ownCasesIn(parsed.text);
    if (ownCases && isDeclined(ownCases)) return invalid(ownCases.reason);
    const wanted = { ...runOfBody, ...defined({ ownCases }) };
    // A person who answers for both may start it from either side; a program speaks for itself.
    if (wanted.kind === 'executor' && connection.kind === 'producer') return invalid(byConsumer);

    const run = await startRun(ports, wanted, connection);
    if (!isDeclined(run)) return response(201, runResponse(run), { headers: uncached, log });
    const rule = run.isLimit ? 'limit.reached' : 'check.declined';
    return refusalResponse(refuse(rule, run.reason), log);
  });

export const listRunsEdge: Edge<RunPorts<'listOf'> & { readonly seals: Seals }> = ports =>
  asMember(ports.registry, async function listRunsRoute(member, { query }) {
    const { id } = member.connection;
    const positions = positionsOf(await ports.seals.sealer(), ['checks', id]);
    const part = openPart(positions, { after: query['after'], max: limits.portalPage });
    if (!part) return refusalResponse(refuse('pull.invalid_parameter', noPosition), member.log);
    const { entries, next } = await ports.checkRuns.listOf([id], part);
    return reply({ runs: entries.map(runResponse), ...sealedNext(positions, next) }, member);
  });

/** A route about a run that the caller is a connection of. */
const asOwner = (
  { registry, checkRuns }: RunPorts<'find'>,
  route: (run: Run, member: AdmittedConnection, request: HttpRequest) => Promise<HttpResponse>,
) =>
  asMember(registry, async function ownRunRoute(member, request) {
    const run = await checkRuns.find(request.pathParameters['r'] ?? '');
    const isOwner = run?.connections.some(
      ({ connection_id }) => connection_id === member.connection.id,
    );
    if (!run || !isOwner) return refusalResponse(refuse('check.unknown'), member.log);
    return route(run, member, request);
  });

const formOf: Readonly<Record<string, string>> = {
  'text/html': 'html',
  'application/xml': 'xml',
  'text/markdown': 'md',
  'image/svg+xml': 'svg',
};

/** A report quotes what others sent: a browser that shows it runs and loads nothing. */
const inert = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'x-content-type-options': 'nosniff',
};

/**
 * `GET /v1/tenants/{t}/checks/{r}`: JSON, unless the request accepts another form of the report
 * only, or before it.
 */
export const showRunEdge: Edge<RunPorts<'find' | 'seen'>> = ports =>
  asOwner(ports, async function showRunRoute(run, member, request) {
    const seen = await ports.checkRuns.seen(run.id);
    const report = wholeReport(run, seen);
    const type = preferredType(request.headers['accept'], [
      'application/json',
      ...Object.keys(formOf),
    ]);
    const write = reportForms[formOf[type] ?? ''];
    if (!write) return reply(report, member);
    const headers = { ...uncached, ...inert, 'content-type': `${type}; charset=utf-8` };
    return response(200, Buffer.from(write(report)), { headers, log: member.log });
  });

/** `POST /v1/tenants/{t}/checks/{r}/stop`: of a run that is over, nothing changes. */
export const stopRunEdge: Edge<RunPorts<'find' | 'stop'>> = ports =>
  asOwner(ports, async function stopRunRoute(run, member) {
    await ports.checkRuns.stop(run.id, `${member.connection.id} stopped it.`);
    return reply(runResponse(run), member);
  });

/**
 * `GET /v1/reports/{e}`: what the bus knows of a report, for whoever has it. The address cannot be
 * guessed, and tells no connection, workspace or case.
 */
export const evidenceEdge: Edge<{ readonly checkRuns: Pick<CheckRuns, 'evidence'> }> = ({
  checkRuns,
}) =>
  async function evidenceRoute({ pathParameters }) {
    const { e: name = '' } = pathParameters;
    const evidence = isEvidenceName(name) ? await checkRuns.evidence(name) : undefined;
    if (!evidence) return refusalResponse(refuse('check.unknown'));
    return response(200, evidence, { headers: uncached });
  };
