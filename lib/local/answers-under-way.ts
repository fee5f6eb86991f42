import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The requests that a server has taken and not answered yet. */
export interface AnswersUnderWay {
  add(response: ServerResponse): void;
  /** Resolves when none is left, of this connection alone where one is given. */
  none(socket?: Duplex): Promise<void>;
  /** Whether the connection's last request has not arrived in full. */
  incomplete(socket: Duplex): boolean;
}

export const answersUnderWay = (): AnswersUnderWay => {
  const responses = new Set<ServerResponse>();
  const of = (socket?: Duplex): readonly ServerResponse[] =>
    [...responses].filter(({ req }) => socket === undefined || req.socket === socket);

  return {
    add(response) {
      responses.add(response);
      response.once('close', () => responses.delete(response));
    },
    async none(socket) {
      for (let [first] = of(socket); first; [first] = of(socket)) {
        const answered = first;
        await new Promise<void>(resolve => answered.once('close', resolve));
      }
    },
    incomplete: socket => of(socket).some(({ req }) => !req.complete),
  };
};
