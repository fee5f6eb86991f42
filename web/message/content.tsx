import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Checkbox from '@cloudscape-design/components/checkbox';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Tabs from '@cloudscape-design/components/tabs';
import { useMemo, useState } from 'react';
import { CodeView } from '../page/code-view.tsx';
import { Loaded, useCall } from '../page/data.tsx';
import { Section } from '../page/layout.tsx';
import { shortLines } from '../page/short-lines.ts';
import { Snippet, save } from '../page/snippet.tsx';
import { bytesOf, indented } from './indented.ts';
import { curlOf, testOf } from './snippets.ts';

const Again = ({ w, file }: { readonly w: string; readonly file: string }) => (
  <ExpandableSection headerText="Use with curl or in a test">
    <SpaceBetween size="s">
      <Box color="text-body-secondary">
        Download the message as {file}. The bus accepts a message_id once: give the message another
        one to publish it again.
      </Box>
      <Tabs
        tabs={[
          { id: 'curl', label: 'curl', content: <Snippet label="curl" text={curlOf(w, file)} /> },
          { id: 'test', label: 'A test', content: <Snippet label="A test" text={testOf(file)} /> },
        ]}
      />
    </SpaceBetween>
  </ExpandableSection>
);

const Text = ({
  w,
  m,
  content,
}: {
  readonly w: string;
  readonly m: string;
  readonly content: string;
}) => {
  const [isExact, setExact] = useState(false);
  const bytes = useMemo(() => bytesOf(content), [content]);
  const exact = useMemo(() => new TextDecoder().decode(bytes), [bytes]);
  const shown = useMemo(() => indented(exact), [exact]);
  const text = isExact ? exact : shown;
  const lines = useMemo(() => shortLines(text), [text]);
  const isInPieces = lines.some(({ isContinued }) => isContinued);
  const file = `${m}.json`;
  return (
    <Section
      title="Text"
      actions={
        <SpaceBetween direction="horizontal" size="s" alignItems="center">
          <Checkbox checked={isExact} onChange={({ detail }) => setExact(detail.checked)}>
            Exactly as sent
          </Checkbox>
          <Button
            iconName="download"
            onClick={() => save(bytes, { name: file, type: 'application/json' })}
          >
            Download
          </Button>
        </SpaceBetween>
      }
    >
      <SpaceBetween size="s">
        {isInPieces && (
          <Box color="text-body-secondary">
            A line that begins with ↪ continues the line above. What you copy has no such breaks.
          </Box>
        )}
        <CodeView
          text={text}
          lines={lines}
          label={isExact ? 'The message, exactly as it was sent' : 'The message'}
        />
        <Again w={w} file={file} />
      </SpaceBetween>
    </Section>
  );
};

/** The text of an accepted message. */
export const Content = ({ w, m }: { readonly w: string; readonly m: string }) => {
  const loading = useCall('workspace.content', { names: { w, m } });
  return (
    <Loaded loading={loading}>{({ content }) => <Text w={w} m={m} content={content} />}</Loaded>
  );
};
