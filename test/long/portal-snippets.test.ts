import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createConnection } from '../../lib/access/registry/connections.ts';
import type { IssuedResponse } from '../../lib/contract/portal/work-responses.ts';
import { issuedRecord } from '../../lib/portal/connection-changes.http.ts';
import { pythonTools } from '../../scripts/python-tools.ts';
import { connectionSnippets } from '../../web/connections/snippets.ts';
import { curlOf } from '../../web/message/snippets.ts';
import { eventually } from '../support/eventually.ts';
import { bearer, call, post } from '../support/http-client.ts';
import { linkCommitted } from '../support/messages.ts';
import { serviceHere } from '../support/one-service.ts';
import { settled } from '../support/running-registry.ts';
import { temporaryFolder } from '../support/service-process.ts';

const nothing = { systemIds: [], grants: [], receives: [], sources: [] };

describe('what the portal shows to paste', () => {
  const bus = serviceHere();
  const folder = temporaryFolder();
  const python = pythonTools('httpx==0.28.1');
  afterAll(() => {
    folder.remove();
    python?.close();
  });

  beforeAll(() => {
    // The package as npm would install it: what it exports is in dist.
    mkdirSync(join(folder.path, 'node_modules'));
    symlinkSync(resolve('.'), join(folder.path, 'node_modules/som-bus'));
  });

  const path = [
    ...(python ? [dirname(python.bin('python3'))] : []),
    dirname(process.execPath),
    '/usr/bin:/bin',
  ].join(':');

  /** A stranger's shell: nothing is set in it but its path and its home. */
  const shell = (text: string, variables: Readonly<Record<string, string>>) =>
    spawn('bash', ['-euo', 'pipefail', '-c', text], {
      cwd: folder.path,
      env: {
        PATH: path,
        HOME: folder.path,
        PYTHONPATH: resolve('clients/python/src'),
        ...variables,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A program that the shell has started ends with it.
      detached: true,
    });

  /** Runs a text until it ends, or until its output has something. */
  const outputOf = async (text: string, until?: string, variables = {}): Promise<string> => {
    const child = shell(text, variables);
    let output = '';
    let isEnding = false;
    const read = (chunk: Buffer) => {
      output += chunk;
      if (until === undefined || isEnding || !output.includes(until)) return;
      isEnding = true;
      process.kill(-Number(child.pid), 'SIGTERM');
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    await once(child, 'close');
    return output;
  };

  const origin = () => new URL(bus.base).origin;

  /** A new connection, as the page gets it; its system's name means something to every language. */
  const issue = async (kind: 'producer' | 'consumer'): Promise<IssuedResponse> => {
    const system = `Anna's "desk" \\ ${kind} $HOME`;
    const lists =
      kind === 'producer' ? { grants: ['link.*'], systemIds: [system] } : { receives: ['link.*'] };
    const wanted = { ...nothing, ...lists, kind, workspace: bus.ready.workspace, app: kind };
    const made = settled(await createConnection(bus.registry, wanted, { force: true }));
    const { connection } = made;
    const shown = {
      connection_id: connection.id,
      kind,
      grants: connection.grants,
      system_ids: connection.systemIds,
      ...issuedRecord(origin(), made),
    };
    return shown as unknown as IssuedResponse; // as much of it as a snippet shows
  };

  const shown = connectionSnippets.filter(({ label }) => label !== 'Python' || python);

  test.each(shown)('$label: a producer publishes with it', async ({ label, text }) => {
    const issued = await issue('producer');
    const pasted = text({ issued, now: new Date().toISOString() });
    // The variables alone say nothing.
    const whole = label === 'Variables' ? `${pasted}\necho "accepted $SOMBUS_CLIENT_ID"` : pasted;
    expect(await outputOf(whole)).toMatch(/accepted/i);
  });

  test.each(shown)('$label: a consumer receives with it', async ({ label, text }) => {
    const issued = await issue('consumer');
    const authorization = await bearer(bus.base, bus.ready.producer);
    let id = '';
    // A publish may not know yet of a consumer that was made a moment ago.
    await eventually(async () => {
      const message = linkCommitted();
      id = String(message['message_id']);
      expect((await post(`${bus.tenant}/messages`, authorization, message)).status).toBe(202);
      const { body } = await call(`${bus.tenant}/messages/${id}`, { headers: { authorization } });
      return JSON.stringify(body).includes(issued.connection_id);
    });
    const pasted = text({ issued, now: new Date().toISOString() });
    const whole = label === 'Variables' ? `${pasted}\necho "${id} $SOMBUS_CLIENT_ID"` : pasted;
    expect(await outputOf(whole, id)).toContain(id);
  });

  test('curl of a saved message publishes it', async () => {
    const { variables, system_ids: systems } = await issue('producer');
    const originating_system = { system_id: systems[0], system_type: 'ncs' };
    writeFileSync(
      join(folder.path, 'saved.json'),
      JSON.stringify(linkCommitted({ originating_system })),
    );
    expect(await outputOf(curlOf('saved.json'), undefined, variables)).toContain('accepted');
  });
});
