import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import { useState } from 'react';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import type {
  ConnectionResponse,
  IssuedResponse,
  MakerResponse,
} from '../../lib/contract/portal/work-responses.ts';
import { call } from '../page/call.ts';
import { useCall } from '../page/data.tsx';
import { workOf } from '../page/doing.tsx';
import { type Field, Form } from '../page/form.tsx';
import { Page } from '../page/layout.tsx';
import { goTo, urlOf } from '../page/location.ts';
import { loadConnections } from '../page/workspaces.ts';
import { Issued } from './issued.tsx';
import { typesField } from './types-field.ts';
import { permissionsIn } from './words.ts';

/** What differs between the kinds of connections. */
const kinds = {
  producer: {
    description: 'Sends messages over HTTPS.',
    types: 'May send',
    systems: 'Sends as (optional)',
    systemsWords:
      'The system_ids that its messages carry, one per line. Leave it empty to use the app’s name.',
  },
  consumer: {
    description: 'Receives messages from a queue of its own.',
    types: 'Receives',
    systems: 'From (optional)',
    systemsWords:
      'Only messages of these system_ids, one per line. Leave it empty to receive from every system.',
  },
} as const;

type Draft = {
  readonly organisation_id: string;
  readonly kind: keyof typeof kinds;
  readonly app: string;
  readonly types: readonly string[];
  readonly systems: string;
};

type Makers = readonly MakerResponse[];

const makerOf = (makers: Makers, { organisation_id }: Draft): MakerResponse | undefined =>
  makers.find(one => one.organisation_id === organisation_id);

/** What a guest was invited for; a house chooses for itself. */
const allowed = (maker: MakerResponse | undefined, kind: Draft['kind']): readonly string[] =>
  (kind === 'producer' ? maker?.grants : maker?.receives) ?? [];

const withTypes = (makers: Makers, draft: Draft): Draft => {
  const maker = makerOf(makers, draft);
  const offered = maker?.kinds ?? [];
  const kind = offered.find(one => one === draft.kind) ?? offered[0] ?? 'producer';
  const types = allowed(maker, kind).filter(pattern => pattern !== '*');
  return { ...draft, kind, types };
};

/** What a change of a field changes too: the systems of one kind mean nothing to the other. */
const changed = (makers: Makers, draft: Draft, part: Partial<Draft>): Partial<Draft> => {
  if (!part.kind && !part.organisation_id) return part;
  const next = withTypes(makers, { ...draft, ...part });
  return next.kind === draft.kind ? next : { ...next, systems: '' };
};

/** The apps that have connections here. */
const appsIn = (known: readonly ConnectionResponse[]): readonly string[] =>
  [...new Set(known.map(one => one.app_name))].sort();

const fieldsOf = (
  { makers, connections }: ResponseOf<'connection.list'>,
  draft: Draft,
): readonly (Field<Draft> | false)[] => {
  const words = kinds[draft.kind];
  const maker = makerOf(makers, draft);
  return [
    makers.length > 1 && {
      name: 'organisation_id',
      label: 'Organisation',
      options: makers.map(one => ({ value: one.organisation_id, label: one.name })),
    },
    {
      name: 'kind',
      label: 'Kind',
      isExplained: true,
      options: (maker?.kinds ?? []).map(value => ({
        value,
        label: value,
        description: kinds[value].description,
      })),
    },
    {
      name: 'app',
      label: 'App',
      description:
        'The system that connects: one that is here already, or a new name, such as Rundown.',
      suggestions: appsIn(connections),
    },
    typesField('types', words.types, draft.types, allowed(maker, draft.kind)),
    { name: 'systems', label: words.systems, description: words.systemsWords, rows: 2 },
  ];
};

/** What the draft asks the service for. */
const requestOf = ({ organisation_id, kind, app, types, systems }: Draft) => ({
  organisation_id,
  kind,
  app: app.trim(),
  ...permissionsIn(kind, types, systems),
});

const emptyDraft = (makers: Makers): Draft =>
  withTypes(makers, {
    organisation_id: makers[0]?.organisation_id ?? '',
    kind: 'producer',
    app: '',
    types: [],
    systems: '',
  });

interface ConnectionFormProps {
  readonly w: string;
  readonly found: ResponseOf<'connection.list'>;
  onMade(issued: IssuedResponse): void;
}

const ConnectionForm = ({ w, found, onMade }: ConnectionFormProps) => {
  const { makers } = found;
  if (makers.length === 0)
    return <Box>Your role does not allow this here. An editor can create connections.</Box>;
  return (
    <Container>
      <Form
        first={emptyDraft(makers)}
        fields={draft => fieldsOf(found, draft)}
        changed={(draft, part) => changed(makers, draft, part)}
        button="Create connection"
        variant="primary"
        cancel={() => goTo(urlOf('connections', { w }))}
        work={draft =>
          workOf({
            send: () => call('connection.make', { names: { w }, body: requestOf(draft) }),
            done: 'The connection was created. Its secret is shown once.',
            after: made => {
              void loadConnections();
              onMade(made);
            },
          })
        }
      />
    </Container>
  );
};

/** Creates a connection, and shows its secret once. */
export const MakePage = ({ names: { w } }: { readonly names: { readonly w: string } }) => {
  const loading = useCall('connection.list', { names: { w } });
  const [issued, setIssued] = useState<IssuedResponse | undefined>(undefined);
  if (issued) {
    const { connection_id: c } = issued;
    return (
      <Page title="Connection created">
        <Issued issued={issued} onDone={() => goTo(urlOf('connection', { w, c }))} />
      </Page>
    );
  }
  return (
    <Page
      title="Create connection"
      lead="It works within a minute, with a secret that is shown once."
      loading={loading}
    >
      {found => <ConnectionForm w={w} found={found} onMade={setIssued} />}
    </Page>
  );
};
