import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type { IssuerResponse } from '../../lib/contract/work-responses.ts';
import { call } from '../page/call.ts';
import { Confirm, useDoing } from '../page/doing.tsx';

const empty = { issuer: '', jwks_uri: '', audience: '', client_claim: 'azp' };

const fields = [
  ['issuer', 'Issuer, exactly as in its tokens'],
  ['jwks_uri', 'URL of its key set'],
  ['audience', 'Audience of its tokens'],
] as const;

const AddForm = ({ w, onDone }: { readonly w: string; onDone(): void }) => {
  const [draft, setDraft] = useState(empty);
  const doing = useDoing();
  const add = () =>
    doing.run(
      () => call('connection.addIssuer', { names: { w }, body: draft }),
      'The identity provider is added.',
      () => {
        setDraft(empty);
        onDone();
      },
    );
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        void add();
      }}
    >
      <SpaceBetween size="m">
        {fields.map(([name, label]) => (
          <FormField key={name} label={label}>
            <Input
              value={draft[name]}
              onChange={({ detail }) => setDraft({ ...draft, [name]: detail.value })}
            />
          </FormField>
        ))}
        <FormField label="Claim that names the client">
          <Select
            selectedOption={{ value: draft.client_claim, label: draft.client_claim }}
            options={['azp', 'client_id', 'sub'].map(value => ({ value, label: value }))}
            onChange={({ detail }) =>
              setDraft({ ...draft, client_claim: detail.selectedOption.value ?? 'azp' })
            }
          />
        </FormField>
        {doing.trouble}
        <Button formAction="submit" loading={doing.isBusy}>
          Add identity provider
        </Button>
      </SpaceBetween>
    </form>
  );
};

/** The identity providers of a workspace: their clients can act for connections once they are bound. */
export const Issuers = ({
  w,
  issuers,
  again,
}: {
  readonly w: string;
  readonly issuers: readonly IssuerResponse[];
  again(): void;
}) => {
  const doing = useDoing();
  const remove = (issuer: string) =>
    doing.run(
      () => call('connection.removeIssuer', { names: { w }, body: { issuer } }),
      'The identity provider is removed.',
      again,
    );
  return (
    <Container
      header={
        <Header
          variant="h2"
          counter={`(${issuers.length})`}
          description="Programs that have tokens of your own identity provider need no secret of the bus. Add the provider here, then bind its clients on the pages of their connections."
        >
          Identity providers
        </Header>
      }
    >
      <SpaceBetween size="s">
        {issuers.map(({ issuer, audience }) => (
          <SpaceBetween key={issuer} direction="horizontal" size="s" alignItems="center">
            <Box>
              <code>{issuer}</code>, for <code>{audience}</code>
            </Box>
            <Confirm
              button="Remove"
              label={`Remove ${issuer}`}
              variant="inline-link"
              title={`Remove ${issuer}?`}
              doing={doing}
              run={() => remove(issuer)}
            >
              Its clients can no longer send, within 30 seconds.
            </Confirm>
          </SpaceBetween>
        ))}
        <ExpandableSection headerText="Add an identity provider">
          <AddForm w={w} onDone={again} />
        </ExpandableSection>
      </SpaceBetween>
    </Container>
  );
};
