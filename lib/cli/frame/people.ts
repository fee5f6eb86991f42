import {
  type Identity,
  moveMemberships,
  type NamedPerson,
  personKey,
} from '../../access/people/members.ts';
import type { CommandRun } from './command.ts';
import { accepted } from './failures.ts';

/** Moves a person's places to another identity, and notes it in each organisation. */
export const movePlaces = async (
  { ports, notes }: Pick<CommandRun, 'ports' | 'notes'>,
  from: Identity,
  to: NamedPerson,
) => {
  const { organisations, isOperator } = accepted(await moveMemberships(ports, from, to));
  const facts = { from: personKey(from), to: personKey(to) };
  for (const organisation of organisations)
    await notes.change({ organisation, what: 'member.move', facts });
  return { organisations, is_operator: isOperator };
};
