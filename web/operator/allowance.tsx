import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Modal from '@cloudscape-design/components/modal';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { customQuota, tiers } from '../../lib/contract/limits.ts';
import { call } from '../page/call.ts';
import { useDoing } from '../page/doing.tsx';
import type { Organisation } from './operator-page.tsx';

const tierOptions = Object.entries(tiers).map(([value, { perSecond, perDay }]) => ({
  value,
  label: value,
  description: `${perSecond} a second, ${perDay.toLocaleString('en')} a day`,
}));

const custom = { value: 'custom', label: 'custom', description: 'numbers of its own' };

interface AllowanceProps {
  readonly organisation: Organisation;
  again(): void;
}

/** Approves an organisation, with the tier of its connections. */
export const Approval = ({ organisation: { organisation_id: o, name }, again }: AllowanceProps) => {
  const [tier, setTier] = useState('standard');
  const doing = useDoing();
  return (
    <SpaceBetween size="xs">
      <SpaceBetween direction="horizontal" size="xs">
        <Select
          selectedOption={tierOptions.find(({ value }) => value === tier) ?? null}
          options={tierOptions}
          ariaLabel={`Tier of ${name}`}
          expandToViewport
          onChange={({ detail }) => setTier(detail.selectedOption.value ?? tier)}
        />
        <Button
          variant="primary"
          ariaLabel={`Approve ${name}`}
          loading={doing.isBusy}
          onClick={() =>
            void doing.run(
              () => call('operator.approve', { names: { o }, body: { tier } }),
              `${name} is approved.`,
              again,
            )
          }
        >
          Approve
        </Button>
      </SpaceBetween>
      {doing.trouble}
    </SpaceBetween>
  );
};

const numbers = [
  ['per_second', 'Requests a second', customQuota.perSecond],
  ['burst', 'In a burst', customQuota.burst],
  ['per_day', 'A day', customQuota.perDay],
] as const;

type Numbers = Readonly<Record<(typeof numbers)[number][0], string>>;

const problemWith = (text: string, max: number): string | undefined =>
  /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= max
    ? undefined
    : `A whole number from 1 to ${max.toLocaleString('en')}.`;

const useAllowance = ({ organisation, again }: AllowanceProps, close: () => void) => {
  const { organisation_id: o, name, tier, quota } = organisation;
  const [chosen, choose] = useState(quota ? 'custom' : tier);
  const { per_second, burst, per_day } = quota ?? { per_second: 20, burst: 40, per_day: 1_000_000 };
  const [typed, setTyped] = useState<Numbers>({
    per_second: `${per_second}`,
    burst: `${burst}`,
    per_day: `${per_day}`,
  });
  const [left, setLeft] = useState<readonly string[]>([]);
  const doing = useDoing();
  const isCustom = chosen === 'custom';
  const isReady = !isCustom || numbers.every(([key, , max]) => problemWith(typed[key], max) === undefined);
  const body = isCustom
    ? Object.fromEntries(numbers.map(([key]) => [key, Number(typed[key])]))
    : { tier: chosen };
  const allot = () =>
    doing.run(
      () => call('operator.allot', { names: { o }, body }),
      `The allowance of ${name} is changed.`,
      done => {
        setLeft(done.left);
        if (done.left.length === 0) close();
        again();
      },
    );
  return { chosen, choose, typed, setTyped, left, doing, isCustom, isReady, allot };
};

/** A tier or numbers of its own for all connections of an organisation. */
const AllowanceForm = ({ close, ...props }: AllowanceProps & { close(): void }) => {
  const form = useAllowance(props, close);
  const options = [...tierOptions, custom];
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        if (form.isReady) void form.allot();
      }}
    >
      <SpaceBetween size="m">
        <FormField label="Tier">
          <Select
            selectedOption={options.find(({ value }) => value === form.chosen) ?? null}
            options={options}
            expandToViewport
            onChange={({ detail }) => form.choose(detail.selectedOption.value ?? form.chosen)}
          />
        </FormField>
        {form.isCustom &&
          numbers.map(([key, label, max]) => (
            <FormField key={key} label={label} errorText={problemWith(form.typed[key], max)}>
              <Input
                value={form.typed[key]}
                inputMode="numeric"
                onChange={({ detail }) => form.setTyped({ ...form.typed, [key]: detail.value })}
              />
            </FormField>
          ))}
        {form.left.length > 0 && (
          <Alert type="warning">
            Still with the old allowance: {form.left.join(', ')}. Change it again to finish.
          </Alert>
        )}
        {form.doing.trouble}
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="link" formAction="none" onClick={close}>
              Cancel
            </Button>
            <Button
              variant="primary"
              formAction="submit"
              disabled={!form.isReady}
              loading={form.doing.isBusy}
            >
              Change allowance
            </Button>
          </SpaceBetween>
        </Box>
      </SpaceBetween>
    </form>
  );
};

export const Allowance = (props: AllowanceProps) => {
  const [isOpen, setOpen] = useState(false);
  const { name } = props.organisation;
  const close = () => setOpen(false);
  return (
    <>
      <Button ariaLabel={`Allowance of ${name}`} onClick={() => setOpen(true)}>
        Allowance
      </Button>
      {isOpen && (
        <Modal visible header={`Allowance of every connection of ${name}`} onDismiss={close}>
          <AllowanceForm {...props} close={close} />
        </Modal>
      )}
    </>
  );
};
