import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';
import { Form } from '../page/form.tsx';
import { Page } from '../page/layout.tsx';
import { signInUrl } from '../page/session.ts';

/** The local service prints a link with a one-time key; the hosted one has an identity provider. */
const isLocal = /(^|\.)localhost$|^127\./.test(location.hostname);

/** The key of a printed link, or what was pasted instead of one. */
const keyIn = (text: string): string => /[?&]key=([^&\s]+)/.exec(text)?.[1] ?? text.trim();

interface SignInProps {
  /** The page that was wanted. */
  readonly to: string;
  readonly children?: ReactNode;
}

/** Signs somebody in, and leads back to the page that was wanted; says first what for. */
export const SignIn = ({ to, children }: SignInProps) => (
  <div className="narrow">
    <Container>
      {children}
      {isLocal ? (
        <Form
          first={{ text: '' }}
          fields={() => [
            {
              name: 'text',
              label: 'Link or key from the terminal',
              description:
                'The start screen prints one; “sombus portal” prints a new one. ' +
                'It works once, for ten minutes.',
            },
          ]}
          button="Sign in"
          variant="primary"
          work={({ text }) => ({
            send: async () => {
              location.assign(`${signInUrl(to)}&key=${encodeURIComponent(keyIn(text))}`);
              return { kind: 'ok', value: undefined };
            },
          })}
        />
      ) : (
        <SpaceBetween size="m">
          <Box>See what happened to your messages, and manage your connections.</Box>
          <Button variant="primary" href={signInUrl(to)}>
            Sign in
          </Button>
        </SpaceBetween>
      )}
    </Container>
  </div>
);

/** For somebody who is not signed in. */
export const Welcome = ({ to }: SignInProps) => (
  <Page title="Sign in to som-bus" lead="The message bus for functional tests of SOM 1.0 messages.">
    <SignIn to={to} />
  </Page>
);
