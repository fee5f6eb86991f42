import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { Page } from '../page/layout.tsx';
import { signInUrl } from '../page/session.ts';

/** The local service prints a link with a one-time key; the hosted one has an identity provider. */
const isLocal = /(^|\.)localhost$|^127\./.test(location.hostname);

/** The key of a printed link, or what was pasted instead of one. */
const keyIn = (text: string): string => /[?&]key=([^&\s]+)/.exec(text)?.[1] ?? text.trim();

const KeyForm = ({ to }: { readonly to: string }) => {
  const [text, setText] = useState('');
  const signIn = () => location.assign(`${signInUrl(to)}&key=${encodeURIComponent(keyIn(text))}`);
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        if (text.trim() !== '') signIn();
      }}
    >
      <SpaceBetween size="m">
        <FormField
          label="Link or key from the terminal"
          description="The start screen prints one; “sombus portal” prints a new one. It works once, for ten minutes."
        >
          <Input value={text} onChange={({ detail }) => setText(detail.value)} spellcheck={false} />
        </FormField>
        <Button variant="primary" formAction="submit" disabled={text.trim() === ''}>
          Sign in
        </Button>
      </SpaceBetween>
    </form>
  );
};

/** For somebody who is not signed in; leads back to the page that was wanted. */
export const Welcome = ({ to }: { readonly to: string }) => (
  <Page title="Sign in to som-bus" lead="The message bus for functional tests of SOM 1.0 messages.">
    <div className="narrow">
      <Container>
        {isLocal ? (
          <KeyForm to={to} />
        ) : (
          <SpaceBetween size="m">
            <Box>See what happened to your messages, and look after your connections.</Box>
            <Button variant="primary" href={signInUrl(to)}>
              Sign in
            </Button>
          </SpaceBetween>
        )}
      </Container>
    </div>
  </Page>
);
