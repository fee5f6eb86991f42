/** @jsxImportSource preact */
import type { IssuedAnswer } from '../../lib/contract/work-answers.ts';
import { Copyable } from '../page/elements.tsx';

const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const envFile = ({ variables }: IssuedAnswer): string =>
  Object.entries(variables)
    .map(([name, value]) => `export ${name}=${shellWord(value)}`)
    .join('\n');

const curlOf = ({ kind, connection_id }: IssuedAnswer): string =>
  [
    `TOKEN=$(curl -sS -u "$SOMBUS_CLIENT_ID:$SOMBUS_CLIENT_SECRET" -d grant_type=client_credentials "$SOMBUS_TOKEN_URL" | jq -r .access_token)`,
    kind === 'producer'
      ? `curl -sS -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" --data-binary @message.json "\${SOMBUS_BASE_URL}tenants/$SOMBUS_WORKSPACE/messages"`
      : `curl -sS -H "Authorization: Bearer $TOKEN" "\${SOMBUS_BASE_URL}tenants/$SOMBUS_WORKSPACE/consumers/${connection_id}/messages?wait=20"`,
  ].join('\n');

const typescriptOf = ({ kind }: IssuedAnswer): string =>
  [
    "import { connect, fromEnvironment } from 'som-bus/client';",
    '',
    kind === 'producer'
      ? "const bus = connect({ ...fromEnvironment('SOMBUS_CLIENT'), system: { system_id: process.env.SOMBUS_SYSTEM_ID, system_type: 'ncs' } });\nconst verdict = await bus.publish(message);"
      : "const bus = connect(fromEnvironment('SOMBUS_CLIENT'));\nfor await (const delivery of bus.consume()) console.log(delivery.message.message_type);",
  ].join('\n');

const pythonOf = ({ kind }: IssuedAnswer): string =>
  [
    'from sombus import Bus, from_environment',
    '',
    kind === 'producer'
      ? 'with Bus(**from_environment("SOMBUS_CLIENT"), system={"system_id": "…", "system_type": "ncs"}) as bus:\n    verdict = bus.publish(message)'
      : 'with Bus(**from_environment("SOMBUS_CLIENT")) as bus, bus.consume() as deliveries:\n    for delivery in deliveries:\n        print(delivery.message_type)',
  ].join('\n');

/** A new secret: the only time that anybody sees it. It is gone when the page is left. */
export const Issued = ({ issued, onDone }: { readonly issued: IssuedAnswer; onDone(): void }) => (
  <section aria-labelledby="issued">
    <h2 id="issued">The secret of {issued.app_name}</h2>
    <p class="notice">
      This is the only time that it is shown. Keep it where your program reads its secrets; if it is lost,
      rotate it.
    </p>
    <Copyable label="Variables" text={envFile(issued)} />
    <Copyable label="curl" text={curlOf(issued)} />
    <Copyable label="TypeScript" text={typescriptOf(issued)} />
    <Copyable label="Python" text={pythonOf(issued)} />
    <p>
      <button type="button" class="main" onClick={onDone}>
        I have kept the secret
      </button>
    </p>
  </section>
);
