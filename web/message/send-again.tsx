import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import { call } from '../page/call.ts';
import { Confirm } from '../page/doing.tsx';
import { useAppName } from '../page/names.tsx';

interface SendProps {
  readonly w: string;
  readonly life: ResponseOf<'workspace.message'>;
  readonly c: string;
  readonly button?: string;
  again(): void;
}

/** Sends one message to one consumer again: a replay of nothing else. */
export const SendAgain = ({ w, life, c, again, button = 'Send again' }: SendProps) => {
  const app = useAppName(c) ?? c;
  const { accepted_at: from = '', correlation_id = '', message_id } = life;
  const to = new Date(Date.parse(from) + 1).toISOString();
  const body = { from, to, correlation_id, message_id };
  return (
    <Confirm
      button={button}
      label={`${button}: ${app}`}
      variant="inline-link"
      title={`Send this message to ${app}`}
      send={() => call('queue.startReplay', { names: { w, c }, body })}
      done="The replay has started."
      after={again}
    >
      It goes to the end of the queue, and {app} gets it as a replay.
    </Confirm>
  );
};
