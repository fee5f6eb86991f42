import type { RouteId } from '../contract/routes.ts';
import { errorMessage } from '../engines/machine.ts';
import type { RequestLog } from '../http/respond.ts';

/**
 * One line per request for a terminal: time, status, route (`-`: none), milliseconds, and the subject of the request.
 *
 * @param now epoch milliseconds
 */
export const requestLines =
  (print: (line: string) => void, now: () => number) =>
  (route?: RouteId): RequestLog => ({
    answered({
      status,
      milliseconds,
      rule,
      connection,
      messageType,
      messageId,
      correlationId,
      foreignMessages,
      error,
      errorQueue,
    }) {
      const time = new Date(now()).toISOString().slice(11, 23);
      const foreign =
        foreignMessages === undefined
          ? undefined
          : `ignored messages that the bus did not send: ${foreignMessages}`;
      const about = [
        rule,
        connection,
        messageType,
        messageId,
        correlationId,
        foreign,
        error,
        errorQueue,
      ].filter(fact => fact !== undefined);
      print(
        `${time}  ${status}  ${(route ?? '-').padEnd(14)} ${String(milliseconds).padStart(5)} ms  ${about.join(' ')}`,
      );
    },
    failed(error, { requestId }) {
      print(`${requestId}  failed: ${errorMessage(error)}`);
    },
  });
