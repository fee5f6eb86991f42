/** @jsxImportSource preact */
import type { StoryMessage } from '../../lib/contract/work-answers.ts';
import { addressOf, filters } from '../page/address.ts';
import { Page } from '../page/elements.tsx';
import { Badge, When } from '../page/facts.tsx';
import { Table } from '../page/table.tsx';
import { Loaded, useCall } from '../page/trouble.tsx';
import { StoryList } from './story-list.tsx';
import { told } from './told.ts';

/** The systems of a story, in the order in which they first spoke: each has a lane. */
const lanesOf = (messages: readonly StoryMessage[]): readonly string[] => [
  ...new Set(messages.map(({ system_id }) => system_id)),
];

const Said = ({ w, message }: { readonly w: string; readonly message: StoryMessage }) => {
  const { tone, title, detail } = told(message);
  return (
    <article class={`said ${tone}`}>
      <p>
        <Badge tone={tone}>{message.message_type}</Badge>
      </p>
      <p class="headline">
        <a href={addressOf('message', { w, m: message.message_id })}>{title}</a>
      </p>
      <p class="lane quiet">{message.system_id}</p>
      {detail && <p class="about">{detail}</p>}
      <p class="quiet">
        {message.consumers === 0
          ? 'nobody receives it'
          : `to ${message.consumers} ${message.consumers === 1 ? 'consumer' : 'consumers'}`}
      </p>
    </article>
  );
};

const Lanes = ({ w, messages }: { readonly w: string; readonly messages: readonly StoryMessage[] }) => {
  const lanes = lanesOf(messages);
  return (
    <Table label="The story, a lane for each system" heads={['Accepted', ...lanes]} class="lanes">
      {messages.map(message => (
        <tr key={message.message_id}>
          <th scope="row">
            <When at={message.accepted_at} />
          </th>
          {lanes.map(system => (
            <td key={system}>{system === message.system_id && <Said w={w} message={message} />}</td>
          ))}
        </tr>
      ))}
    </Table>
  );
};

/** What the newest snapshot on this page calls the story. */
const titleOf = (messages: readonly StoryMessage[]): string => {
  const facts = messages.findLast(({ facts: one }) => 'slug' in one)?.facts;
  return facts?.['headline'] ?? facts?.['slug'] ?? 'Story';
};

const Story = ({ w, correlation }: { readonly w: string; readonly correlation: string }) => {
  const after = filters.value.get('after') ?? '0';
  const loading = useCall('workspace.story', { names: { w }, query: { correlation, after } });
  return (
    <Page
      title={titleOf(loading.value?.messages ?? [])}
      lead="Everything that was said about one story, in the order in which the bus accepted it."
    >
      <p>
        <code>{correlation}</code> <a href={addressOf('story', { w })}>All stories</a>
      </p>
      <Loaded loading={loading}>
        {({ messages, next }) => (
          <>
            <Lanes w={w} messages={messages} />
            {messages.length === 0 && <p class="empty">No message on this page is yours to see.</p>}
            {next !== undefined && (
              <p>
                <a href={addressOf('story', { w }, { correlation, after: `${next}` })}>Later messages</a>
              </p>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
};

/** All messages of one correlation, as people in a control room see a story. */
export const StoryPage = ({ names: { w } }: { readonly names: { readonly w: string } }) => {
  const correlation = filters.value.get('correlation') ?? '';
  return correlation === '' ? (
    <Page title="Stories" lead="The stories that the bus has accepted messages about, the newest first.">
      <StoryList w={w} />
    </Page>
  ) : (
    <Story key={correlation} w={w} correlation={correlation} />
  );
};
