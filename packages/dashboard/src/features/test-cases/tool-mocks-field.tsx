import { Plus, Trash2 } from 'lucide-react'
import { Button, IconButton } from '../../components/button.tsx'
import { SelectField, TextAreaField, TextField } from '../../components/fields.tsx'
import { CodeField } from '../../components/json-editor.tsx'
import { useText } from '../../lib/language.ts'
import { type MockDraft, NEW_MOCK } from './test-case-draft.ts'

export interface ToolMocksFieldProps {
  readonly value: readonly MockDraft[]
  readonly onChange: (value: MockDraft[]) => void
  readonly disabled: boolean
}

/** Results that stand in for those of tools, so that a test calls nothing real. */
export function ToolMocksField({ value, onChange, disabled }: ToolMocksFieldProps) {
  const t = useText()
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {value.length === 0 && <p className="text-muted">{t('No tool is replaced: a run would call the real ones.')}</p>}
      {value.map((mock, index) => (
        <MockFields
          // biome-ignore lint/suspicious/noArrayIndexKey: the name is what is being typed.
          key={index}
          index={index}
          mock={mock}
          onChange={(changes) => onChange(value.map((one, at) => (at === index ? { ...one, ...changes } : one)))}
          onRemove={() => onChange(value.filter((_one, at) => at !== index))}
          disabled={disabled}
        />
      ))}
      {!disabled && (
        <Button kind="quiet" icon={Plus} className="w-fit" onClick={() => onChange([...value, NEW_MOCK])}>
          {t('Replace a tool')}
        </Button>
      )}
    </div>
  )
}

const RESULTS = { open: null, success: true, failure: false } as const
type ResultName = keyof typeof RESULTS

function resultName(result: boolean | null): ResultName {
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
      <legend className="px-1 font-medium">{t('Replaced tool {number}', { number })}</legend>
      <MockedCalls index={index} mock={mock} onChange={onChange} disabled={disabled} />
      {mock.rule === 'partial_match' && (
        <CodeField
          label={t('Arguments that the call must have')}
          help={t('A JSON object. Calls without these arguments reach the real tool.')}
          name={`tool_mocks[${index}].input_match_rule.args`}
          language="json"
          minimumHeight="5rem"
          value={mock.argumentsText}
          onChange={(argumentsText) => onChange({ argumentsText })}
          disabled={disabled}
        />
      )}
      <TextAreaField
        label={t('Result that the model sees')}
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
          label={t('Remove replaced tool {number}', { number })}
          onClick={onRemove}
        />
      )}
    </fieldset>
  )
}

/** Which calls of which tool are answered, and as what the answer counts. */
function MockedCalls({ index, mock, onChange, disabled }: Omit<MockFieldsProps, 'onRemove'>) {
  const t = useText()
  return (
    <div className="grid min-w-0 items-start gap-4 md:grid-cols-3">
      <TextField
        label={t('Name of the tool')}
        name={`tool_mocks[${index}].tool_name`}
        spellCheck={false}
        autoComplete="off"
        value={mock.tool}
        onChange={(tool) => onChange({ tool })}
        disabled={disabled}
      />
      <SelectField<MockDraft['rule']>
        label={t('For which calls')}
        name={`tool_mocks[${index}].input_match_rule.type`}
        value={mock.rule}
        choices={[
          { value: 'any', label: t('For all') },
          { value: 'partial_match', label: t('For those with certain arguments') },
        ]}
        onChange={(rule) => onChange({ rule })}
        disabled={disabled}
      />
      <SelectField<ResultName>
        label={t('Counts as')}
        name={`tool_mocks[${index}].result`}
        value={resultName(mock.result)}
        choices={[
          { value: 'open', label: t('Left open') },
          { value: 'success', label: t('Success') },
          { value: 'failure', label: t('Failure') },
        ]}
        onChange={(name) => onChange({ result: RESULTS[name] })}
        disabled={disabled}
      />
    </div>
  )
}
