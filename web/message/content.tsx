import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import FormField from '@cloudscape-design/components/form-field';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Tabs from '@cloudscape-design/components/tabs';
import { useMemo, useState } from 'react';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import type { StoryMessage } from '../../lib/contract/portal/work-responses.ts';
import { useValue } from '../page/cell.ts';
import type { CodeMark } from '../page/code.ts';
import { CodeView } from '../page/code-view.tsx';
import { Loaded, useCall } from '../page/data.tsx';
import { Choice } from '../page/form.tsx';
import { Section } from '../page/layout.tsx';
import { zone } from '../page/preferences.ts';
import { shortLines } from '../page/short-lines.ts';
import { Snippet, save } from '../page/snippet.tsx';
import { timeText } from '../page/time.tsx';
import { rangeOf } from '../validate/text-range.ts';
import { bytesOf, indented } from './indented.ts';
import { usePrevious } from './previous.ts';
import { curlOf, testOf } from './snippets.ts';

type MessageLife = ResponseOf<'workspace.message'>;

const Again = ({ file }: { readonly file: string }) => (
  <ExpandableSection headerText="Use with curl or in a test">
    <SpaceBetween size="s">
      <Box color="text-body-secondary">
        Download the message as {file}. The bus accepts a message_id once: give the message another
        one to publish it again. The variables are those of a producer’s secret.
      </Box>
      <Tabs
        tabs={[
          { id: 'curl', label: 'curl', content: <Snippet label="curl" text={curlOf(file)} /> },
          { id: 'test', label: 'A test', content: <Snippet label="A test" text={testOf(file)} /> },
        ]}
      />
    </SpaceBetween>
  </ExpandableSection>
);

/** Where a text breaks rules, if the places are known. */
const marksIn = (text: string, findings: MessageLife['refusals'][number]['violations']) =>
  findings.flatMap(({ message, path = '' }): CodeMark[] => {
    const range = rangeOf(text, path);
    return range ? [{ from: range.from, to: range.to, words: message }] : [];
  });

interface CodeProps {
  readonly text: string;
  readonly label: string;
  readonly violations?: MessageLife['refusals'][number]['violations'];
}

const Shown = ({ text, label, violations = [] }: CodeProps) => {
  const lines = useMemo(() => shortLines(text), [text]);
  const marks = useMemo(() => marksIn(text, violations), [text, violations]);
  const isInPieces = lines.some(({ isContinued }) => isContinued);
  return (
    <SpaceBetween size="s">
      {isInPieces && (
        <Box color="text-body-secondary">
          A line that begins with ↪ continues the line above. What you copy has no such breaks.
        </Box>
      )}
      <CodeView text={text} lines={lines} label={label} marks={marks} />
    </SpaceBetween>
  );
};

const textIn = (content: string): string => indented(new TextDecoder().decode(bytesOf(content)));

interface TextProps {
  readonly w: string;
  readonly life: MessageLife;
  readonly neighbours: readonly StoryMessage[];
}

/** What changed since the snapshot before, or since any other message of the story. */
const Compared = ({ w, life, neighbours, text }: TextProps & { readonly text: string }) => {
  const previous = usePrevious(w, life, neighbours);
  const [chosen, choose] = useState<string | undefined>(undefined);
  const shown = useValue(zone);
  const before = chosen ?? previous?.message_id;
  const others = [
    ...(previous && !neighbours.includes(previous) ? [previous] : []),
    ...neighbours.filter(one => one.message_id !== life.message_id),
  ];
  const options = others.map(one => ({
    value: one.message_id,
    label: `${one.message_type}, ${timeText(one.accepted_at, shown, true)}`,
    ...(one === previous ? { description: 'the previous one of this type' } : {}),
  }));
  if (options.length === 0) return <Box>The story has no other message to compare with.</Box>;
  return (
    <SpaceBetween size="s">
      <FormField label="Compare with">
        <Choice
          value={before ?? ''}
          options={options}
          placeholder="Another message of the story"
          change={choose}
        />
      </FormField>
      {before !== undefined && <Difference key={before} w={w} before={before} text={text} />}
    </SpaceBetween>
  );
};

const Difference = ({ w, before, text }: Readonly<Record<'w' | 'before' | 'text', string>>) => {
  const older = useCall('workspace.content', { names: { w, m: before } });
  return (
    <Loaded loading={older}>
      {({ content }) => (
        <CodeView
          text={text}
          before={textIn(content)}
          label="What changed since the other message"
        />
      )}
    </Loaded>
  );
};

const modes = [
  { id: 'text', text: 'Text' },
  { id: 'exact', text: 'As sent' },
  { id: 'changes', text: 'Changes' },
] as const;

const Text = ({ content, ...props }: TextProps & { readonly content: string }) => {
  const { life } = props;
  const [mode, setMode] = useState<(typeof modes)[number]['id']>('text');
  const bytes = useMemo(() => bytesOf(content), [content]);
  const exact = useMemo(() => new TextDecoder().decode(bytes), [bytes]);
  const shown = useMemo(() => indented(exact), [exact]);
  const file = `${life.message_id}.json`;
  return (
    <Section
      title="Text"
      actions={
        <SpaceBetween direction="horizontal" size="s" alignItems="center">
          <SegmentedControl
            label="How the text is shown"
            selectedId={mode}
            options={modes}
            onChange={({ detail }) =>
              setMode(modes.find(({ id }) => id === detail.selectedId)?.id ?? 'text')
            }
          />
          <Button
            iconName="download"
            ariaLabel="Download"
            onClick={() => save(bytes, { name: file, type: 'application/json' })}
          />
        </SpaceBetween>
      }
    >
      <SpaceBetween size="s">
        {mode === 'text' && <Shown text={shown} label="The message" />}
        {mode === 'exact' && <Shown text={exact} label="The message, exactly as it was sent" />}
        {mode === 'changes' && <Compared {...props} text={shown} />}
        <Again file={file} />
      </SpaceBetween>
    </Section>
  );
};

/** The text of an accepted message. */
export const Content = (props: TextProps) => {
  const { w, life } = props;
  const loading = useCall('workspace.content', { names: { w, m: life.message_id } });
  return (
    <Loaded loading={loading}>{({ content }) => <Text {...props} content={content} />}</Loaded>
  );
};

/** The text of a message that was refused, with its violations at their places, if it is kept. */
export const RefusedContent = ({ w, life }: Pick<TextProps, 'w' | 'life'>) => {
  const [last] = life.refusals.slice(-1);
  const names = { w, c: last?.connection_id ?? '' };
  const query = { at: last?.refused_at ?? '', message: life.message_id };
  const { value, failure } = useCall('connection.refusedText', { names, query });
  return (
    <Section title="Text">
      {value && <Shown {...refusedCode(value.content)} violations={last?.violations ?? []} />}
      {failure && <Box color="text-body-secondary">{failure.message}</Box>}
    </Section>
  );
};

const refusedCode = (content: string) => ({ text: textIn(content), label: 'The refused message' });
