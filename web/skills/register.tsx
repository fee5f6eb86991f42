import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useEffect, useState } from 'react';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import { type ExecutorNames, instanceNamed } from '../executor/instance.ts';
import { instanceText } from '../executor/instance-text.ts';
import { call } from '../page/call.ts';
import { CodeView } from '../page/code-view.tsx';
import { useDoing } from '../page/data.tsx';
import { Act } from '../page/doing.tsx';
import { flash } from '../page/flash.ts';
import { goTo, urlOf } from '../page/location.ts';
import type { writtenInstanceOf } from './draft.ts';

type Registered = ResponseOf<'skill.show'>;

export interface RegisterProps {
  readonly names: ExecutorNames;
  readonly instance: ReturnType<typeof writtenInstanceOf>;
  readonly yaml: string;
}

const comparedWords = (label: string, text: string, was: string | undefined): string => {
  if (was === undefined) return `There is no instance ${label} yet: this is a new one.`;
  if (was === text) return `${label} is registered exactly like this.`;
  return `${label} is registered already. This would change:`;
};

/**
 * Registers a valid instance, or puts it in the place of the one that has its label, once the
 * reader has seen what changes.
 */
export const Register = ({ names, instance, yaml }: RegisterProps) => {
  const { instance_label: label = '' } = instance;
  const [before, setBefore] = useState<Registered | 'none' | undefined>(undefined);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const looking = useDoing();
  const look = () => {
    const find = () => instanceNamed(names, label);
    void looking.run(find, undefined, found => setBefore(found ?? 'none'));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once; the parent keys by executor and label
  useEffect(look, []);
  if (before === undefined) return looking.trouble;
  const replaced = before === 'none' ? undefined : before;
  const text = instanceText(instance);
  const was = replaced && instanceText(replaced);
  const send = () => {
    const body = { file: yaml };
    if (!replaced) return call('skill.register', { names: { ...names }, body });
    return call('skill.replace', { names: { ...names, r: replaced.registration_id }, body });
  };
  return (
    <SpaceBetween size="m">
      <Box>{comparedWords(label, text, was)}</Box>
      {was !== undefined && was !== text && (
        <CodeView label="What changes" text={text} before={was} />
      )}
      {problems.length > 0 && <Alert type="error">{problems.join(' ')}</Alert>}
      {was !== text && (
        <Act
          button={replaced ? 'Replace instance' : 'Register instance'}
          variant="primary"
          send={send}
          after={response => {
            setProblems(response.problems);
            if (response.problems.length > 0) return;
            flash(replaced ? `${label} was replaced.` : `${label} was registered.`);
            goTo(urlOf('executor', names));
          }}
          again={look}
        />
      )}
    </SpaceBetween>
  );
};
