import { SwitchField, TextField } from '../../components/fields.tsx'
import { Panel } from '../../components/page.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { useText } from '../../lib/language.ts'
import { useChoices } from '../../parts/choices/choices.ts'
import { AgentChoiceFields } from './agent-choice-fields.tsx'
import type { NumberDraft } from './number-draft.ts'

/** A part of the page that changes a number. */
export interface NumberPanelProps {
  readonly value: NumberDraft
  readonly onChange: (changes: Partial<NumberDraft>) => void
  readonly disabled: boolean
}

/** Nothing typed stands for no value. */
const orNull = (text: string): string | null => (text === '' ? null : text)

/** Who calls from the number. */
export function OutboundPanel({ value, onChange, disabled }: NumberPanelProps) {
  const t = useText()
  return (
    <Panel title={t('Outbound: who calls')} description={t('The agent that calls from this number.')}>
      <div className="grid gap-3 sm:grid-cols-[1fr_9rem]">
        <AgentChoiceFields
          label={t('Outbound agent')}
          name="outboundAgentId"
          noneLabel={t('Nobody')}
          value={value.outbound_agent}
          disabled={disabled}
          onChange={(choice) => onChange({ outbound_agent: choice })}
        />
      </div>
    </Panel>
  )
}

/** What happens around the answering: who else, what before, and who again. */
export function AnsweringPanel({ value, onChange, disabled }: NumberPanelProps) {
  const t = useText()
  const { choices, isLoading } = useChoices('agents')
  return (
    <Panel title={t('Settings')}>
      <TextField
        label={t('Nickname')}
        help={t('A name to know the number by.')}
        name="nickname"
        maxLength={200}
        disabled={disabled}
        value={value.nickname ?? ''}
        onChange={(text) => onChange({ nickname: orNull(text) })}
      />
      <RecordField
        label={t('Default agent')}
        help={t('Answers when no inbound agent is bound.')}
        name="default_agent_id"
        noneLabel={t('Nobody')}
        choices={choices}
        isLoading={isLoading}
        disabled={disabled}
        value={value.default_agent_id}
        onChange={(id) => onChange({ default_agent_id: id })}
      />
      <SwitchField
        label={t('Callers meet the same agent again')}
        help={t('Otherwise chance decides each time, by the weights.')}
        disabled={disabled}
        value={value.sticky}
        onChange={(sticky) => onChange({ sticky })}
      />
      <TextField
        label={t('Fallback number')}
        help={t('It is rung when no agent can answer.')}
        name="fallback_number"
        isOptional
        inputMode="tel"
        disabled={disabled}
        value={value.fallback_number ?? ''}
        onChange={(text) => onChange({ fallback_number: orNull(text) })}
      />
      <TextField
        label={t('Inbound webhook')}
        help={t('An address that is asked for variables before a call is answered.')}
        name="inbound_webhook_url"
        isOptional
        inputMode="url"
        spellCheck={false}
        disabled={disabled}
        value={value.inbound_webhook_url ?? ''}
        onChange={(text) => onChange({ inbound_webhook_url: orNull(text) })}
      />
    </Panel>
  )
}
