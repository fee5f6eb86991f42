import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import type { SkillInstanceResponse } from '../../lib/contract/portal/work-responses.ts';
import { call } from '../page/call.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { Act, Confirm } from '../page/doing.tsx';
import { Page, Section, State } from '../page/layout.tsx';
import { urlOf } from '../page/location.ts';
import { useAppName } from '../page/names.tsx';
import { Snippet } from '../page/snippet.tsx';
import { When } from '../page/time.tsx';
import { FileForm, Replacement } from './file-form.tsx';
import type { ExecutorNames } from './instance.ts';

interface InstanceProps {
  readonly names: ExecutorNames;
  readonly instance: SkillInstanceResponse;
  again(): void;
}

const Actions = ({ names, instance, again, replace }: InstanceProps & { replace(): void }) => {
  const { instance_label: label, paused } = instance;
  const asked = { names: { ...names, r: instance.registration_id } };
  const work = { after: again, again };
  return (
    <SpaceBetween direction="horizontal" size="xs">
      <Act
        {...work}
        button={paused ? 'Resume' : 'Pause'}
        send={() => call(paused ? 'skill.resume' : 'skill.pause', asked)}
        done={paused ? 'The instance was resumed.' : 'The instance was paused.'}
      />
      <Button onClick={replace}>Replace…</Button>
      <Confirm
        {...work}
        button="Remove"
        title={`Remove ${label}`}
        send={() => call('skill.end', asked)}
        done="The instance was removed."
      >
        The executor no longer runs this instance.
      </Confirm>
    </SpaceBetween>
  );
};

const Instance = ({ mayChange, ...props }: InstanceProps & { readonly mayChange: boolean }) => {
  const { names, instance, again } = props;
  const [isReplacing, setReplacing] = useState(false);
  return (
    <Section
      title={instance.instance_label}
      description={
        <>
          <code>{instance.skill_id}</code> {instance.skill_version}, registered{' '}
          <When at={instance.created_at} />
        </>
      }
      info={instance.paused && <State of={['stopped', 'paused']} />}
      actions={mayChange && <Actions {...props} replace={() => setReplacing(!isReplacing)} />}
    >
      {isReplacing && (
        <Replacement
          names={names}
          label={instance.instance_label}
          onDone={() => {
            setReplacing(false);
            again();
          }}
        />
      )}
    </Section>
  );
};

const AsFile = ({ names }: { readonly names: ExecutorNames }) => {
  const loading = useCall('skill.file', { names: { ...names } });
  return (
    <ExpandableSection
      headerText="All of them as a skills file"
      variant="container"
      defaultExpanded
    >
      <Loaded loading={loading}>{({ yaml }) => <Snippet label="Skills file" text={yaml} />}</Loaded>
    </ExpandableSection>
  );
};

interface InstancesProps {
  readonly names: ExecutorNames;
  readonly found: ResponseOf<'skill.list'>;
  again(): void;
}

const Instances = ({ names, found, again }: InstancesProps) => {
  const { registrations, may_change: mayChange } = found;
  if (registrations.length === 0)
    return (
      <Container>
        <Box>
          It runs no instances yet. Create one with the form of a skill, and paste its file here.
        </Box>
      </Container>
    );
  return (
    <>
      {registrations.map(instance => (
        <Instance
          key={instance.instance_label}
          names={names}
          instance={instance}
          mayChange={mayChange}
          again={again}
        />
      ))}
      <AsFile key={registrations.map(one => one.registration_id).join()} names={names} />
    </>
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
        {found => <Instances names={names} found={found} again={loading.again} />}
      </Loaded>
      {loading.value?.may_change && (
        <Section title="Register instances">
          <FileForm
            label="Skills file"
            description="YAML or JSON: all of its instances are registered, or none."
            button="Register"
            first=""
            send={file => call('skill.register', { names, body: { file } })}
            onDone={loading.again}
          />
        </Section>
      )}
    </Page>
  );
};
