import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Tabs from '@cloudscape-design/components/tabs';
import { useMemo } from 'react';
import type { IssuedResponse } from '../../lib/contract/portal/work-responses.ts';
import { Snippet } from '../page/snippet.tsx';
import { connectionSnippets } from './snippets.ts';

/** A new secret: the only time that anybody sees it. It is gone when the page is left. */
export const Issued = ({ issued, onDone }: { readonly issued: IssuedResponse; onDone(): void }) => {
  // The message in a snippet stays the same while somebody copies it.
  const facts = useMemo(() => ({ issued, now: new Date().toISOString() }), [issued]);
  return (
    <Container header={<Header variant="h2">The secret of {issued.app_name}</Header>}>
      <SpaceBetween size="m">
        <Alert type="warning">
          This is the only time that it is shown. Keep it where your program reads its secrets; if
          it is lost, rotate it.
        </Alert>
        <Tabs
          tabs={connectionSnippets.map(({ label, about, text }) => ({
            id: label,
            label,
            content: (
              <SpaceBetween size="xs">
                <Box color="text-body-secondary">{about(issued.kind)}</Box>
                <Snippet label={label} text={text(facts)} />
              </SpaceBetween>
            ),
          }))}
        />
        <Button variant="primary" onClick={onDone}>
          I have saved the secret
        </Button>
      </SpaceBetween>
    </Container>
  );
};
