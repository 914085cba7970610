import type { TestCase } from '@parley/contract/test-case'
import { Plus, Trash2 } from 'lucide-react'
import { Button, IconButton } from '../../components/button.tsx'
import { NumberField, SelectField, TextAreaField, TextField } from '../../components/fields.tsx'
import { CodeField } from '../../components/json-editor.tsx'
import { Panel } from '../../components/page.tsx'
import { PairsField } from '../../components/strings-field.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { isJsonEqual } from '../../lib/editing/draft-state.ts'
import { useText } from '../../lib/language.ts'
import { ModelField } from '../../parts/llm/model-field.tsx'
import type { Engine } from '../../parts/test-case/engine.ts'
import { EngineField } from '../../parts/test-case/engine-field.tsx'
import { type MockDraft, NEW_MOCK, type TestCaseDraft, toEngine } from './test-case-draft.ts'

interface TestCaseFormProps {
  readonly storedTestCase: TestCase
  readonly value: TestCaseDraft
  readonly onChange: (changes: Partial<TestCaseDraft>) => void
  readonly disabled: boolean
}

export function TestCaseForm(props: TestCaseFormProps) {
  const t = useText()
  const { value, onChange, disabled } = props
  return (
    <div className="grid min-w-0 items-start gap-5 xl:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-5">
        <GeneralPanel {...props} />
        <Panel title={t('Target')}>
          <EngineField
            value={value.engine}
            onChange={(engine) => onChange({ engine, version: 'keep' })}
            disabled={disabled}
          />
          <VersionField
            engine={value.engine}
            value={value.version}
            onChange={(version) => onChange({ version })}
            currentVersion={
              isJsonEqual(value.engine, toEngine(props.storedTestCase)) ? props.storedTestCase.version : null
            }
            disabled={disabled}
          />
        </Panel>
        <Panel title={t('Tool mocks')} description={t('Fixed results to return instead of calling the real tools.')}>
          <ToolMocksField
            value={value.tool_mocks}
            onChange={(mocks) => onChange({ tool_mocks: mocks })}
            disabled={disabled}
          />
        </Panel>
      </div>
      <div className="flex min-w-0 flex-col gap-5">
        <UserPanel {...props} />
        <Panel
          title={t('Success criteria')}
          description={t('The test passes when every statement is true for the conversation.')}
        >
          <MetricsField value={value.metrics} onChange={(metrics) => onChange({ metrics })} disabled={disabled} />
        </Panel>
      </div>
    </div>
  )
}

function GeneralPanel({ value, onChange, disabled }: TestCaseFormProps) {
  const t = useText()
  return (
    <Panel title={t('General')}>
      <TextField
        label={t('Name')}
        name="name"
        maxLength={200}
        value={value.name}
        onChange={(name) => onChange({ name })}
        disabled={disabled}
      />
      <TextAreaField
        label={t('Description')}
        help={t('Only shown to your team.')}
        name="description"
        isOptional
        rows={2}
        value={value.description}
        onChange={(description) => onChange({ description })}
        disabled={disabled}
      />
    </Panel>
  )
}

function UserPanel({ value, onChange, disabled }: TestCaseFormProps) {
  const t = useText()
  return (
    <Panel title={t('Simulated user')}>
      <CodeField
        label={t('Instructions')}
        help={t('Who the user is, what they want and how they behave.')}
        name="user_prompt"
        language="prompt"
        minHeight="10rem"
        value={value.user_prompt}
        onChange={(prompt) => onChange({ user_prompt: prompt })}
        completions={value.dynamic_variables.map(({ name }) => name).filter((name) => name !== '')}
        disabled={disabled}
      />
      <PairsField
        label={t('Variables')}
        help={t('Values for {variables} in the conversation.', { variables: '{{variables}}' })}
        name="dynamic_variables"
        addLabel={t('Add variable')}
        value={value.dynamic_variables}
        onChange={(pairs) => onChange({ dynamic_variables: pairs })}
        disabled={disabled}
      />
      <ModelField
        label={t('User model')}
        name="llm_model"
        isOptional
        value={value.llm_model}
        onChange={(model) => onChange({ llm_model: model })}
        disabled={disabled}
      />
      <NumberField
        label={t('Max turns')}
        help={t('Ends the conversation after this many turns. Defaults to 30.')}
        name="max_turns"
        minimum={1}
        maximum={100}
        value={value.max_turns}
        onChange={(turns) => onChange({ max_turns: turns })}
        disabled={disabled}
      />
    </Panel>
  )
}

function MetricsField({
  value,
  onChange,
  disabled,
}: {
  readonly value: readonly string[]
  readonly onChange: (value: string[]) => void
  readonly disabled: boolean
}) {
  const t = useText()
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {value.length === 0 && <p className="text-muted">{t('No criteria yet. Every conversation passes.')}</p>}
      {value.map((metric, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: criteria have no ids.
        <div key={index} className="flex min-w-0 items-start gap-2">
          <TextAreaField
            className="flex-1"
            label={t('Criterion {number}', { number: index + 1 })}
            name={`metrics[${index}]`}
            rows={2}
            value={metric}
            onChange={(text) => onChange(value.map((item, i) => (i === index ? text : item)))}
            disabled={disabled}
          />
          {!disabled && (
            <IconButton
              icon={Trash2}
              className="mt-6"
              label={t('Remove criterion {number}', { number: index + 1 })}
              onClick={() => onChange(value.filter((_metric, i) => i !== index))}
            />
          )}
        </div>
      ))}
      {!disabled && (
        <Button kind="quiet" icon={Plus} className="w-fit" onClick={() => onChange([...value, ''])}>
          {t('Add criterion')}
        </Button>
      )}
    </div>
  )
}

interface VersionFieldProps {
  readonly engine: Engine
  readonly value: TestCaseDraft['version']
  readonly onChange: (value: TestCaseDraft['version']) => void
  /** The tested version; null after the user selects another record. */
  readonly currentVersion: number | null
  readonly disabled: boolean
}

/** Maximum number of listed versions. The API also accepts older versions. */
const MAX_VERSIONS = 100

function VersionField({ engine, value, onChange, currentVersion, disabled }: VersionFieldProps) {
  const t = useText()
  const versions = useVersions(engine)
  const keepLabel =
    currentVersion === null
      ? t('Always the latest')
      : t('As saved (currently version {version})', { version: currentVersion })
  return (
    <SelectField
      label={t('Version')}
      name="version"
      value={String(value)}
      choices={[
        { value: 'keep', label: keepLabel },
        ...(currentVersion === null ? [] : [{ value: 'latest', label: t('Always the latest') }]),
        ...versions.map((version) => ({ value: String(version), label: t('Version {version}', { version }) })),
      ]}
      onChange={(selectedVersion) =>
        onChange(selectedVersion === 'keep' || selectedVersion === 'latest' ? selectedVersion : Number(selectedVersion))
      }
      disabled={disabled}
    />
  )
}

function useVersions({ kind, id }: Engine): readonly number[] {
  const query = { limit: MAX_VERSIONS }
  const isLlm = kind === 'llm'
  const llmVersions = useRead(
    'listLlmVersions',
    { path: { llmId: id ?? '' }, query },
    { enabled: isLlm && id !== null },
  )
  const flowVersions = useRead(
    'listConversationFlowVersions',
    { path: { conversationFlowId: id ?? '' }, query },
    { enabled: !isLlm && id !== null },
  )
  const rows: readonly { readonly version: number }[] = (isLlm ? llmVersions.data : flowVersions.data) ?? []
  return rows.map(({ version }) => version)
}

interface ToolMocksFieldProps {
  readonly value: readonly MockDraft[]
  readonly onChange: (value: MockDraft[]) => void
  readonly disabled: boolean
}

function ToolMocksField({ value, onChange, disabled }: ToolMocksFieldProps) {
  const t = useText()
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {value.length === 0 && <p className="text-muted">{t('No mocks yet. The test calls the real tools.')}</p>}
      {value.map((mock, index) => (
        <MockFields
          // biome-ignore lint/suspicious/noArrayIndexKey: mocks have no ids.
          key={index}
          index={index}
          mock={mock}
          onChange={(changes) => onChange(value.map((item, i) => (i === index ? { ...item, ...changes } : item)))}
          onRemove={() => onChange(value.filter((_mock, i) => i !== index))}
          disabled={disabled}
        />
      ))}
      {!disabled && (
        <Button kind="quiet" icon={Plus} className="w-fit" onClick={() => onChange([...value, NEW_MOCK])}>
          {t('Add mock')}
        </Button>
      )}
    </div>
  )
}

const RESULT_VALUES = { open: null, success: true, failure: false } as const
type ResultName = keyof typeof RESULT_VALUES

function getResultName(result: boolean | null): ResultName {
  if (result === null) return 'open'
  return result ? 'success' : 'failure'
}

interface MockFieldsProps {
  readonly index: number
  readonly mock: MockDraft
  readonly onChange: (changes: Partial<MockDraft>) => void
  readonly onRemove: () => void
  readonly disabled: boolean
}

function MockFields({ index, mock, onChange, onRemove, disabled }: MockFieldsProps) {
  const t = useText()
  const number = index + 1
  return (
    <fieldset className="flex min-w-0 flex-col gap-4 rounded-md border border-line p-3">
      <legend className="px-1 font-medium">{t('Mock {number}', { number })}</legend>
      <MockedCalls index={index} mock={mock} onChange={onChange} disabled={disabled} />
      {mock.rule === 'partial_match' && (
        <CodeField
          label={t('Required arguments')}
          help={t('Calls without these arguments run the real tool.')}
          name={`tool_mocks[${index}].input_match_rule.args`}
          language="json"
          minHeight="5rem"
          value={mock.argumentsText}
          onChange={(argumentsText) => onChange({ argumentsText })}
          disabled={disabled}
        />
      )}
      <TextAreaField
        label={t('Result')}
        name={`tool_mocks[${index}].output`}
        rows={3}
        spellCheck={false}
        value={mock.output}
        onChange={(output) => onChange({ output })}
        disabled={disabled}
      />
      {!disabled && (
        <IconButton
          icon={Trash2}
          className="w-fit self-end"
          label={t('Remove mock {number}', { number })}
          onClick={onRemove}
        />
      )}
    </fieldset>
  )
}

function MockedCalls({ index, mock, onChange, disabled }: Omit<MockFieldsProps, 'onRemove'>) {
  const t = useText()
  return (
    <div className="grid min-w-0 items-start gap-4 md:grid-cols-3">
      <TextField
        label={t('Tool name')}
        name={`tool_mocks[${index}].tool_name`}
        spellCheck={false}
        autoComplete="off"
        value={mock.tool}
        onChange={(tool) => onChange({ tool })}
        disabled={disabled}
      />
      <SelectField<MockDraft['rule']>
        label={t('Applies to')}
        name={`tool_mocks[${index}].input_match_rule.type`}
        value={mock.rule}
        choices={[
          { value: 'any', label: t('All calls') },
          { value: 'partial_match', label: t('Calls with certain arguments') },
        ]}
        onChange={(rule) => onChange({ rule })}
        disabled={disabled}
      />
      <SelectField<ResultName>
        label={t('Outcome')}
        name={`tool_mocks[${index}].result`}
        value={getResultName(mock.result)}
        choices={[
          { value: 'open', label: t('Not set') },
          { value: 'success', label: t('Success') },
          { value: 'failure', label: t('Failure') },
        ]}
        onChange={(name) => onChange({ result: RESULT_VALUES[name] })}
        disabled={disabled}
      />
    </div>
  )
}
