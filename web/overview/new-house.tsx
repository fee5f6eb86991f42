import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { NewWorkspace } from '../organisation/workspaces.tsx';
import { Section } from '../page/layout.tsx';
import { urlOf } from '../page/location.ts';
import type { OwnOrganisation } from '../page/workspaces.ts';
import { Steps } from './first-steps.tsx';

const titles = [
  'Create a producer',
  'Create a consumer',
  'Publish a message',
  'Receive it',
  'Acknowledge it',
];

/** What an organisation without a workspace does next. */
export const NewHouse = ({ organisation }: { readonly organisation: OwnOrganisation }) => {
  const { organisation_id: o, name, may_add_workspaces: mayAdd } = organisation;
  return (
    <Section title={`${name}: the way to your first message`}>
      <SpaceBetween size="s">
        <Steps of={[{ isDone: true, title: 'Your organisation was approved' }]} />
        {mayAdd ? (
          <NewWorkspace organisation={o} />
        ) : (
          <Box>
            Its owner creates a workspace, or a house invites it into one.{' '}
            <a href={urlOf('organisation', { o })}>See who the owners are</a>.
          </Box>
        )}
        <Steps of={titles.map(title => ({ isDone: false, title }))} />
      </SpaceBetween>
    </Section>
  );
};
