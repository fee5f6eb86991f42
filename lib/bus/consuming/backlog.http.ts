import type { CallerRegistry } from '../../access/registry/registry.ts';
import { asConsumer } from '../../access/trust/admission.http.ts';
import { defined } from '../../contract/outside.ts';
import { refuse } from '../../contract/refusals.ts';
import type { Edge } from '../../platform/http/respond.ts';
import { refusalResponse, response } from '../../platform/http/response.ts';
import { type BacklogPorts, backlogOf, type ConsumerBacklog } from '../replay/queue-view.ts';
import { unknownWords } from '../replay/skip-next.ts';

const backlogRecord = ({ visible, inFlight, oldestSeconds, unknown, blocked }: ConsumerBacklog) =>
  defined({
    visible,
    in_flight: inFlight,
    oldest_seconds: oldestSeconds ?? null,
    oldest_unknown: unknown && unknownWords[unknown],
    blocked,
  });

export const backlogEdge: Edge<BacklogPorts & { registry: CallerRegistry }> = ports =>
  asConsumer(ports.registry, async function backlogRoute({ connection, log }) {
    const backlog = await backlogOf(ports, connection);
    if (backlog)
      return response(200, backlogRecord(backlog), {
        headers: { 'cache-control': 'no-store' },
        log,
      });
    return refusalResponse(refuse('producer.not_registered'), log);
  });
