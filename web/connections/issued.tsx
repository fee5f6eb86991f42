import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Tabs from '@cloudscape-design/components/tabs';
import { shellWord } from '../../lib/contract/environments.ts';
import type { IssuedResponse } from '../../lib/contract/portal/work-responses.ts';
import { Snippet } from '../page/snippet.tsx';

const envFile = ({ variables }: IssuedResponse): string =>
  Object.entries(variables)
    .map(([name, value]) => `export ${name}=${shellWord(value)}`)
    .join('\n');

const curlOf = ({ kind, connection_id }: IssuedResponse): string =>
  [
    `TOKEN=$(curl -sS -u "$SOMBUS_CLIENT_ID:$SOMBUS_CLIENT_SECRET" -d grant_type=client_credentials "$SOMBUS_TOKEN_URL" | jq -r .access_token)`,
    kind === 'producer'
      ? `curl -sS -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" --data-binary @message.json "\${SOMBUS_BASE_URL}tenants/$SOMBUS_WORKSPACE/messages"`
      : `curl -sS -H "Authorization: Bearer $TOKEN" "\${SOMBUS_BASE_URL}tenants/$SOMBUS_WORKSPACE/consumers/${connection_id}/messages?wait=20"`,
  ].join('\n');

const typescriptOf = ({ kind, system_ids: [system = ''] }: IssuedResponse): string =>
  [
    "import { connect, fromEnvironment } from 'som-bus/client';",
    '',
    ...(kind === 'producer'
      ? [
          "import { readFileSync } from 'node:fs';",
          '',
          `const system = { system_id: ${JSON.stringify(system)}, system_type: 'ncs' };`,
          "const bus = connect({ ...fromEnvironment('SOMBUS_CLIENT'), system });",
          "console.log(await bus.publish(readFileSync('message.json')));",
        ]
      : [
          "const bus = connect(fromEnvironment('SOMBUS_CLIENT'));",
          'for await (const delivery of bus.consume()) console.log(delivery.message.message_type);',
        ]),
  ].join('\n');

const pythonOf = ({ kind, system_ids: [system = ''] }: IssuedResponse): string =>
  [
    'from sombus import Bus, from_environment',
    '',
    ...(kind === 'producer'
      ? [
          `system = {"system_id": ${JSON.stringify(system)}, "system_type": "ncs"}`,
          'with Bus(**from_environment("SOMBUS_CLIENT"), system=system) as bus:',
          '    print(bus.publish(open("message.json", "rb").read()))',
        ]
      : [
          'with Bus(**from_environment("SOMBUS_CLIENT")) as bus, bus.consume() as deliveries:',
          '    for delivery in deliveries:',
          '        print(delivery.message_type)',
        ]),
  ].join('\n');

const forms = [
  ['Variables', envFile],
  ['curl', curlOf],
  ['TypeScript', typescriptOf],
  ['Python', pythonOf],
] as const;

/** A new secret: the only time that anybody sees it. It is gone when the page is left. */
export const Issued = ({ issued, onDone }: { readonly issued: IssuedResponse; onDone(): void }) => (
  <Container header={<Header variant="h2">The secret of {issued.app_name}</Header>}>
    <SpaceBetween size="m">
      <Alert type="warning">
        This is the only time that it is shown. Keep it where your program reads its secrets; if it
        is lost, rotate it.
      </Alert>
      <Tabs
        tabs={forms.map(([label, textOf]) => ({
          id: label,
          label,
          content: <Snippet label={label} text={textOf(issued)} />,
        }))}
      />
      <Button variant="primary" onClick={onDone}>
        I have saved the secret
      </Button>
    </SpaceBetween>
  </Container>
);
