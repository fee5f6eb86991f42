/** @jsxImportSource preact */
import { useComputed, useSignal } from '@preact/signals';
import { checkInstances, type InstancesReport } from '../../lib/skills/check-instances.ts';
import { readSkillsFile } from '../../lib/skills/skills-file.ts';
import { Page } from '../page/elements.tsx';
import { rulebook } from './rulebook.ts';

const report = (text: string): InstancesReport | string | undefined => {
  if (text.trim() === '') return undefined;
  const file = readSkillsFile(text);
  return file.kind === 'unreadable' ? file.message : checkInstances(file, rulebook);
};

const Instance = ({ instance }: { readonly instance: InstancesReport['instances'][number] }) => (
  <li>
    <h3>
      {instance.instance_label || `Instance ${instance.index}`} <code>{instance.skill_id}</code>
    </h3>
    {instance.valid ? (
      <p class="right">Valid.</p>
    ) : (
      <ul class="problems">
        {instance.problems.map(problem => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    )}
  </li>
);

const Report = ({ found }: { readonly found: InstancesReport | string | undefined }) => {
  if (found === undefined)
    return <p class="empty">Paste a skills file, or drop one here. Nothing leaves this page.</p>;
  if (typeof found === 'string') return <p class="notice wrong">{found}</p>;
  const wrong = found.instances.filter(({ valid }) => !valid).length;
  return (
    <>
      <p class={`verdict ${found.valid ? 'right' : 'open'}`}>
        {found.valid
          ? `All ${found.instances.length} instances are valid for library ${found.library_version}.`
          : [
              ...found.problems,
              wrong > 0 ? `${wrong} of ${found.instances.length} instances are not valid.` : '',
            ].join(' ')}
      </p>
      <ul class="instances">
        {found.instances.map(instance => (
          <Instance key={instance.index} instance={instance} />
        ))}
      </ul>
    </>
  );
};

/** Checks a whole skills file while it is edited. */
export const CheckPage = () => {
  const text = useSignal('');
  const found = useComputed(() => report(text.value));
  const drop = async (event: DragEvent) => {
    const file = event.dataTransfer?.files[0];
    if (file === undefined) return;
    event.preventDefault();
    text.value = await file.text();
  };
  return (
    <Page
      title="Check a skills file"
      lead="The same checks as POST /api/skills/validate and sombus skill register."
    >
      <label class="editor">
        Skills file (YAML)
        <textarea
          rows={16}
          spellcheck={false}
          value={text.value}
          onInput={event => {
            text.value = event.currentTarget.value;
          }}
          onDragOver={event => event.preventDefault()}
          onDrop={drop}
        />
      </label>
      <div aria-live="polite">
        <Report found={found.value} />
      </div>
    </Page>
  );
};
