import { matches } from '../../lib/access/registry/patterns.ts';
import { shellWord } from '../../lib/contract/environments.ts';
import { messageTypes } from '../../lib/contract/message-types.ts';
import type { IssuedResponse } from '../../lib/contract/portal/work-responses.ts';
import { tenantUrl, tokenLines } from '../page/curl.ts';
import { exampleOf, textOfMessage } from '../validate/examples.ts';

/** What a snippet shows: a connection with its secret, and when it is shown. */
export interface SnippetFacts {
  readonly issued: IssuedResponse;
  /** RFC 3339. */
  readonly now: string;
}

/** A text to paste. */
export interface ConnectionSnippet {
  readonly label: string;
  /** What it does in a shell, and what it needs beside one. */
  about(kind: IssuedResponse['kind']): string;
  text(facts: SnippetFacts): string;
}

/** A message that the connection may send now; of none that SOM has a schema for, a link. */
const messageOf = ({ issued, now }: SnippetFacts): string => {
  const { grants, system_ids: systems } = issued;
  const type = messageTypes.find(one => grants.some(pattern => matches(pattern, one)));
  const example = exampleOf(type ?? 'link.committed', { now, system: systems[0] });
  return textOfMessage(example ?? {});
};

const variable = ({ issued }: SnippetFacts, name: string): string => issued.variables[name] ?? '';

/** A file that a shell writes: nothing in it means anything to the shell. */
const fileOf = (name: string, text: string): string =>
  [`cat > ${name} <<'END_OF_FILE'`, text, 'END_OF_FILE'].join('\n');

const variablesOf = ({ issued }: SnippetFacts): string =>
  Object.entries(issued.variables)
    .map(([name, value]) => `export ${name}=${shellWord(value)}`)
    .join('\n');

const curlOf = (facts: SnippetFacts): string => {
  const { kind, connection_id: id } = facts.issued;
  const call =
    kind === 'producer'
      ? [
          `curl -sS "${tenantUrl}/messages" \\`,
          '  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\',
          `  --data-binary @- <<'END_OF_MESSAGE'`,
          messageOf(facts),
          'END_OF_MESSAGE',
        ]
      : [
          `curl -sS "${tenantUrl}/consumers/${id}/messages?wait=20" \\`,
          '  -H "Authorization: Bearer $TOKEN"',
        ];
  return [variablesOf(facts), ...tokenLines, ...call].join('\n');
};

const nodeOptions = (facts: SnippetFacts): string =>
  [
    ['baseUrl', 'SOMBUS_BASE_URL'],
    ['workspace', 'SOMBUS_WORKSPACE'],
    ['clientId', 'SOMBUS_CLIENT_ID'],
    ['clientSecret', 'SOMBUS_CLIENT_SECRET'],
  ]
    .map(([option, name = '']) => `  ${option}: ${JSON.stringify(variable(facts, name))},`)
    .join('\n');

const typescriptOf = (facts: SnippetFacts): string => {
  const begin = [
    "import { connect } from 'som-bus/client';",
    '',
    'const bus = connect({',
    nodeOptions(facts),
    '});',
  ];
  const file =
    facts.issued.kind === 'producer'
      ? [
          ...begin,
          '',
          `const message = ${messageOf(facts)};`,
          '',
          'console.log(await bus.publish(message));',
        ]
      : [
          ...begin,
          '',
          '// Until Ctrl+C. Each message is acknowledged when the loop goes on.',
          'for await (const { message } of bus.consume())',
          '  console.log(message.message_id, message.message_type);',
        ];
  const name = facts.issued.kind === 'producer' ? 'publish.mjs' : 'consume.mjs';
  return `${fileOf(name, file.join('\n'))}\nnode ${name}`;
};

/** A JSON text within r''' and ''': an apostrophe, as JSON may write it. */
const pythonText = (json: string): string => `r'''${json.replaceAll("'", '\\u0027')}'''`;

const pythonOptions = (facts: SnippetFacts): string =>
  [
    ['base_url', 'SOMBUS_BASE_URL'],
    ['workspace', 'SOMBUS_WORKSPACE'],
    ['client_id', 'SOMBUS_CLIENT_ID'],
    ['client_secret', 'SOMBUS_CLIENT_SECRET'],
  ]
    .map(([option, name = '']) => `    ${option}=${JSON.stringify(variable(facts, name))},`)
    .join('\n');

const pythonOf = (facts: SnippetFacts): string => {
  const isProducer = facts.issued.kind === 'producer';
  const file = [
    'from sombus import Bus',
    '',
    'bus = Bus(',
    pythonOptions(facts),
    ')',
    '',
    ...(isProducer
      ? [
          `message = ${pythonText(messageOf(facts))}`,
          '',
          'with bus:',
          '    print(bus.publish(message))',
        ]
      : [
          '# Until Ctrl+C. Each message is acknowledged when the loop goes on.',
          'with bus, bus.consume() as deliveries:',
          '    for delivery in deliveries:',
          '        print(delivery.message_id, delivery.message_type, flush=True)',
        ]),
  ];
  const name = isProducer ? 'publish.py' : 'consume.py';
  return `${fileOf(name, file.join('\n'))}\npython3 ${name}`;
};

const doing = {
  producer: 'publishes a message as this connection',
  consumer: 'receives what waits for this connection',
} as const;

const needing =
  (needs: string): ConnectionSnippet['about'] =>
  kind =>
    `Pasted into a shell, this ${doing[kind]}. It needs ${needs}.`;

/** What a new secret is shown as: each runs in a shell as it is pasted. */
export const connectionSnippets: readonly ConnectionSnippet[] = [
  {
    label: 'Variables',
    about: () => 'For your program’s environment: this only sets variables.',
    text: variablesOf,
  },
  { label: 'curl', about: needing('curl'), text: curlOf },
  {
    label: 'TypeScript',
    about: needing('Node 20.19 or newer, and the package som-bus in this folder'),
    text: typescriptOf,
  },
  {
    label: 'Python',
    about: needing('Python 3.10 or newer, and the package sombus, which comes with som-bus'),
    text: pythonOf,
  },
];
