import { useFieldProblem } from '../../components/field.tsx'
import { SelectField } from '../../components/fields.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { useText } from '../../lib/language.ts'
import { useChoices } from '../choices/choices.ts'
import type { Engine } from './engine.ts'

export interface EngineFieldProps {
  readonly value: Engine
  readonly onChange: (value: Engine) => void
  readonly disabled?: boolean
}

export function EngineField({ value: { kind, id }, onChange, disabled = false }: EngineFieldProps) {
  const t = useText()
  const { choices, isLoading } = useChoices(kind === 'llm' ? 'llms' : 'flows')
  const problems = [useFieldProblem('llm_id'), useFieldProblem('conversation_flow_id')]
  return (
    <>
      <SelectField
        label={t('Type')}
        value={kind}
        choices={[
          { value: 'llm', label: t('Prompt') },
          { value: 'conversation-flow', label: t('Conversation flow') },
        ]}
        onChange={(selected) => selected !== kind && onChange({ kind: selected, id: null })}
        disabled={disabled}
      />
      <RecordField
        label={t('Target')}
        help={t('Replies to the simulated user.')}
        error={problems.find((problem) => problem !== null) ?? null}
        value={id}
        choices={choices}
        isLoading={isLoading}
        onChange={(selected) => onChange({ kind, id: selected })}
        disabled={disabled}
      />
    </>
  )
}
