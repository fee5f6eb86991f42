/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import type { SkillInstanceAnswer } from '../../lib/contract/work-answers.ts';
import { Confirmed } from '../page/action.tsx';
import { addressOf } from '../page/address.ts';
import { AttemptTrouble, useAttempt } from '../page/attempt.tsx';
import { call } from '../page/call.ts';
import { Copyable, Page } from '../page/elements.tsx';
import { Badge, When } from '../page/facts.tsx';
import { Loaded, Trouble, useCall } from '../page/trouble.tsx';
import { type ExecutorNames, FileForm, Replacement } from './file-form.tsx';

const instanceWords = {
  'skill.pause': 'The instance is paused.',
  'skill.resume': 'The instance runs again.',
  'skill.end': 'The instance has ended.',
} as const;

const Instance = ({
  names,
  instance,
  mayChange,
  again,
}: {
  readonly names: ExecutorNames;
  readonly instance: SkillInstanceAnswer;
  readonly mayChange: boolean;
  again(): void;
}) => {
  const isReplacing = useSignal(false);
  const action = useAttempt();
  const asked = { names: { ...names, r: instance.registration_id } };
  const change = (id: 'skill.pause' | 'skill.resume' | 'skill.end') =>
    void action.run(() => call(id, asked), again, instanceWords[id]);
  return (
    <li>
      <h3>
        {instance.instance_label} {instance.paused && <Badge tone="open">paused</Badge>}
      </h3>
      <p class="about">
        <code>{instance.skill_id}</code> {instance.skill_version}, registered{' '}
        <When at={instance.created_at} />
      </p>
      {mayChange && (
        <>
          <p class="actions">
            <button
              type="button"
              disabled={action.isBusy}
              onClick={() => change(instance.paused ? 'skill.resume' : 'skill.pause')}
            >
              {instance.paused ? 'Resume' : 'Pause'}
            </button>
            <button type="button" onClick={() => (isReplacing.value = !isReplacing.value)}>
              {isReplacing.value ? 'Leave it' : 'Replace…'}
            </button>
          </p>
          <Confirmed
            button="End"
            question="The executor no longer runs this instance. End it?"
            run={() => change('skill.end')}
          />
        </>
      )}
      <AttemptTrouble attempt={action} again={again} />
      {isReplacing.value && (
        <Replacement
          names={names}
          instance={instance}
          onDone={() => {
            isReplacing.value = false;
            again();
          }}
        />
      )}
    </li>
  );
};

const AsFile = ({ names }: { readonly names: ExecutorNames }) => {
  const loading = useCall('skill.file', { names: { ...names } });
  return loading.failure ? (
    <Trouble failure={loading.failure} again={loading.again} />
  ) : (
    <Copyable label="All of them as a skills file" text={loading.value?.yaml ?? ''} />
  );
};

/** The skill instances that an executor runs. */
export const ExecutorPage = ({ names: { w, c } }: { readonly names: ExecutorNames }) => {
  const names = { w, c };
  const loading = useCall('skill.list', { names });
  return (
    <Page
      title="Skill instances"
      lead="An executor is a consumer that runs skills: it reads its instances from the bus."
    >
      <p class="actions">
        <a href={addressOf('connection', { w, c })}>The connection</a>
        <a href={addressOf('skills')}>The library, with a form for each skill</a>
      </p>
      <Loaded loading={loading}>
        {({ registrations, may_change }) =>
          registrations.length === 0 ? (
            <p class="empty">
              It runs no instances yet. Make one with the form of a skill, and paste its file here.
            </p>
          ) : (
            <>
              <h2>What it runs</h2>
              <ul class="instances">
                {registrations.map(instance => (
                  <Instance
                    key={instance.instance_label}
                    names={names}
                    instance={instance}
                    mayChange={may_change}
                    again={loading.again}
                  />
                ))}
              </ul>
              <AsFile key={registrations.map(one => one.registration_id).join()} names={names} />
            </>
          )
        }
      </Loaded>
      {loading.value?.may_change && (
        <>
          <h2>Register instances</h2>
          <FileForm
            label="A skills file, YAML or JSON: all of its instances are registered, or none"
            button="Register"
            first=""
            send={file => call('skill.register', { names, body: { file } })}
            onDone={loading.again}
          />
        </>
      )}
    </Page>
  );
};
