import type { Connection } from '../domain/registry/connection.ts';
import type { Ledger } from '../ports/ledger.ts';
import { consult, examine } from './consult.ts';
import { refused } from './refusal.ts';
import type { Verdict } from './verdict.ts';

/** The dry run: every check of a publish, in the same order, and nothing recorded or sent. */
export const validate =
  (ports: { readonly ledger: Ledger }) =>
  async (body: Uint8Array, connection: Connection): Promise<Verdict> => {
    const examined = examine(body, connection);
    if (examined.kind === 'refused') return examined;
    const { message } = examined;
    const { judgement } = await consult(ports.ledger, connection.workspace, message);
    switch (judgement.kind) {
      case 'duplicate':
        return { kind: 'duplicate', message };
      case 'refuse':
        return { ...refused(...judgement.violations), message };
      case 'accept':
        return { kind: 'accepted', message, tolerated: judgement.tolerated };
    }
  };
