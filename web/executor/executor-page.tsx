import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useState } from 'react';
import type { SkillInstanceResponse } from '../../lib/contract/work-responses.ts';
import { call } from '../page/call.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { Confirm, useDoing } from '../page/doing.tsx';
import { Page } from '../page/layout.tsx';
import { urlOf } from '../page/location.ts';
import { useAppName } from '../page/names.tsx';
import { Snippet } from '../page/snippet.tsx';
import { When } from '../page/time.tsx';
import { type ExecutorNames, FileForm, Replacement } from './file-form.tsx';

interface InstanceProps {
  readonly names: ExecutorNames;
  readonly instance: SkillInstanceResponse;
  again(): void;
}

const doneWords = {
  'skill.pause': 'The instance is paused.',
  'skill.resume': 'The instance runs again.',
  'skill.end': 'The instance is removed.',
} as const;

const Actions = ({ names, instance, again, replace }: InstanceProps & { replace(): void }) => {
  const [changing, ending] = [useDoing(again), useDoing(again)];
  const { instance_label: label, paused } = instance;
  const asked = { names: { ...names, r: instance.registration_id } };
  const change = paused ? 'skill.resume' : 'skill.pause';
  return (
    <>
      <SpaceBetween direction="horizontal" size="xs">
        <Button
          loading={changing.isBusy}
          onClick={() => void changing.run(() => call(change, asked), doneWords[change], again)}
        >
          {paused ? 'Resume' : 'Pause'}
        </Button>
        <Button onClick={replace}>Replace…</Button>
        <Confirm
          button="Remove"
          title={`Remove ${label}?`}
          doing={ending}
          run={() => ending.run(() => call('skill.end', asked), doneWords['skill.end'], again)}
        >
          The executor no longer runs this instance.
        </Confirm>
      </SpaceBetween>
      {changing.trouble}
    </>
  );
};

const Instance = ({ mayChange, ...props }: InstanceProps & { readonly mayChange: boolean }) => {
  const { names, instance, again } = props;
  const [isReplacing, setReplacing] = useState(false);
  return (
    <Container
      header={
        <Header
          variant="h2"
          description={
            <>
              <code>{instance.skill_id}</code> {instance.skill_version}, registered{' '}
              <When at={instance.created_at} />
            </>
          }
          info={instance.paused && <StatusIndicator type="stopped">paused</StatusIndicator>}
          actions={mayChange && <Actions {...props} replace={() => setReplacing(!isReplacing)} />}
        >
          {instance.instance_label}
        </Header>
      }
    >
      {isReplacing && (
        <Replacement
          names={names}
          instance={instance}
          onDone={() => {
            setReplacing(false);
            again();
          }}
        />
      )}
    </Container>
  );
};

const AsFile = ({ names }: { readonly names: ExecutorNames }) => {
  const loading = useCall('skill.file', { names: { ...names } });
  return (
    <ExpandableSection headerText="All of them as a skills file" variant="container" defaultExpanded>
      <Loaded loading={loading}>{({ yaml }) => <Snippet label="Skills file" text={yaml} />}</Loaded>
    </ExpandableSection>
  );
};

/** The skill instances that an executor runs. */
export const ExecutorPage = ({ names: { w, c } }: { readonly names: ExecutorNames }) => {
  const names = { w, c };
  const loading = useCall('skill.list', { names });
  const app = useAppName(c);
  return (
    <Page
      title={app === undefined ? 'Skill instances' : `Skill instances of ${app}`}
      lead="An executor is a consumer that runs skills: it reads its instances from the bus."
      actions={
        <SpaceBetween direction="horizontal" size="xs">
          <Button href={urlOf('connection', names)}>Connection</Button>
          <Button href={urlOf('skills')}>Skill library</Button>
        </SpaceBetween>
      }
    >
      <Loaded loading={loading}>
        {({ registrations, may_change }) =>
          registrations.length === 0 ? (
            <Container>
              <Box>It runs no instances yet. Make one with the form of a skill, and paste its file here.</Box>
            </Container>
          ) : (
            <>
              {registrations.map(instance => (
                <Instance
                  key={instance.instance_label}
                  names={names}
                  instance={instance}
                  mayChange={may_change}
                  again={loading.again}
                />
              ))}
              <AsFile key={registrations.map(one => one.registration_id).join()} names={names} />
            </>
          )
        }
      </Loaded>
      {loading.value?.may_change && (
        <Container header={<Header variant="h2">Register instances</Header>}>
          <FileForm
            label="Skills file"
            description="YAML or JSON: all of its instances are registered, or none."
            button="Register"
            first=""
            send={file => call('skill.register', { names, body: { file } })}
            onDone={loading.again}
          />
        </Container>
      )}
    </Page>
  );
};
