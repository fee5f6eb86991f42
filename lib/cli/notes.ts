import type { NotRecorded } from '../contract/work-responses.ts';
import type { Connection } from '../registry/connection.ts';
import { type Noted, noteChange, noteOn } from '../registry/noting.ts';
import type { OperatorPorts } from '../wiring/operator.ts';
import type { Terminal } from './command.ts';

/** The changes of the operator's command line, noted as the portal notes those of people. */
export interface Notes {
  change(noted: Noted): Promise<void>;
  inWorkspace(workspace: string, what: string, facts: Noted['facts']): Promise<void>;
  on(connection: Connection, what: string, facts?: Noted['facts']): Promise<void>;
  onId(connection: string, what: string, facts?: Noted['facts']): Promise<void>;
}

type NotesPorts = Pick<OperatorPorts, 'changes' | 'clock' | 'connections' | 'directory'>;

export const newNotes = (terminal: Pick<Terminal, 'error'>, ports: NotesPorts): Notes => {
  const hostOf = async (workspace: string): Promise<readonly string[]> => {
    const found = await ports.directory.find('workspace', workspace);
    return found?.kind === 'workspace' ? [found.organisation] : [];
  };
  const warn = ({ not_recorded }: NotRecorded) => {
    if (not_recorded) terminal.error('note: the change was made, but could not be recorded.');
  };
  const change = async (noted: Noted) => warn(await noteChange(ports, undefined, noted));
  const on: Notes['on'] = async ({ id, workspace, organisation }, what, facts = {}) => {
    const of = { connection: id, organisations: [organisation, ...(await hostOf(workspace))] };
    warn(await noteOn(ports, { person: undefined, subject: { w: workspace } }, { what, of, facts }));
  };
  return {
    change,
    on,
    async inWorkspace(workspace, what, facts) {
      for (const organisation of await hostOf(workspace))
        await change({ organisation, what, facts: { workspace, ...facts } });
    },
    async onId(id, what, facts) {
      const found = await ports.connections.find(id);
      if (found) await on(found.connection, what, facts);
    },
  };
};
