import type { TestCase } from '@parley/contract/test-case'
import { NumberField, TextAreaField, TextField } from '../../components/fields.tsx'
import { CodeField } from '../../components/json-editor.tsx'
import { Panel } from '../../components/page.tsx'
import { PairsField } from '../../components/strings-field.tsx'
import { isSame } from '../../lib/editing/draft-state.ts'
import { useText } from '../../lib/language.ts'
import { EngineField } from '../../parts/test-case/engine-field.tsx'
import { MetricsField } from './metrics-field.tsx'
import { engineOf, type TestCaseDraft } from './test-case-draft.ts'
import { ToolMocksField } from './tool-mocks-field.tsx'
import { VersionField } from './version-field.tsx'

export interface TestCaseFormProps {
  /** What the server has. */
  readonly stored: TestCase
  readonly value: TestCaseDraft
  readonly onChange: (changes: Partial<TestCaseDraft>) => void
  readonly disabled: boolean
}

/** Everything of a test case. */
export function TestCaseForm(props: TestCaseFormProps) {
  const t = useText()
  const { value, onChange, disabled } = props
  return (
    <div className="grid min-w-0 items-start gap-5 xl:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-5">
        <About {...props} />
        <Panel title={t('Engine')}>
          <EngineField
            value={value.engine}
            onChange={(engine) => onChange({ engine, version: 'keep' })}
            disabled={disabled}
          />
          <VersionField
            engine={value.engine}
            value={value.version}
            onChange={(version) => onChange({ version })}
            current={isSame(value.engine, engineOf(props.stored)) ? props.stored.version : null}
            disabled={disabled}
          />
        </Panel>
        <Panel
          title={t('Replaced tools')}
          description={t('Results that the model sees in the place of those of real tools.')}
        >
          <ToolMocksField
            value={value.tool_mocks}
            onChange={(mocks) => onChange({ tool_mocks: mocks })}
            disabled={disabled}
          />
        </Panel>
      </div>
      <div className="flex min-w-0 flex-col gap-5">
        <User {...props} />
        <Panel
          title={t('What must hold')}
          description={t('The test passes when all of this is true of the conversation. One statement each.')}
        >
          <MetricsField value={value.metrics} onChange={(metrics) => onChange({ metrics })} disabled={disabled} />
        </Panel>
      </div>
    </div>
  )
}

function About({ value, onChange, disabled }: TestCaseFormProps) {
  const t = useText()
  return (
    <Panel title={t('About')}>
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
        help={t('What it is about, for people.')}
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

function User({ value, onChange, disabled }: TestCaseFormProps) {
  const t = useText()
  return (
    <Panel title={t('The simulated user')}>
      <CodeField
        label={t('Who the simulated user is')}
        help={t('Who calls, what they want, and how they behave. A model plays this part.')}
        name="user_prompt"
        language="prompt"
        minimumHeight="10rem"
        value={value.user_prompt}
        onChange={(prompt) => onChange({ user_prompt: prompt })}
        completions={value.dynamic_variables.map(({ name }) => name).filter((name) => name !== '')}
        disabled={disabled}
      />
      <PairsField
        label={t('Variables')}
        help={t('What {variables} hold in the conversation.', { variables: '{{variables}}' })}
        name="dynamic_variables"
        addLabel={t('Add a variable')}
        value={value.dynamic_variables}
        onChange={(pairs) => onChange({ dynamic_variables: pairs })}
        disabled={disabled}
      />
      <TextField
        label={t('Model that plays the user')}
        help={t('Such as {example}. Empty: the default model of the server.', { example: 'openai/gpt-4.1-mini' })}
        name="llm_model"
        isOptional
        spellCheck={false}
        autoComplete="off"
        value={value.llm_model}
        onChange={(model) => onChange({ llm_model: model })}
        disabled={disabled}
      />
      <NumberField
        label={t('Turns at most')}
        help={t('After so many the conversation is ended, 1 to 100. Empty: 30.')}
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
