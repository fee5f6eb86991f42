import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import { call, type Reply } from '../page/call.ts';

/** The connection of an executor. */
export interface ExecutorNames {
  readonly w: string;
  readonly c: string;
}

/** The instance that has a label now, whoever put it there. */
export const instanceNamed = async (
  names: ExecutorNames,
  label: string,
): Promise<Reply<ResponseOf<'skill.show'> | undefined>> => {
  let query: Readonly<Record<string, string>> = {};
  for (;;) {
    const reply = await call('skill.list', { names: { ...names }, query });
    if (reply.kind !== 'ok') return reply;
    const { registrations, next } = reply.value;
    const found = registrations.find(({ instance_label }) => instance_label === label);
    if (found) return call('skill.show', { names: { ...names, r: found.registration_id } });
    if (next === undefined) return { kind: 'ok', value: undefined };
    query = { after: next };
  }
};
