import { Info } from 'lucide-react'
import { SwitchField, TextField } from '../../components/fields.tsx'
import { Panel } from '../../components/page.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { useText } from '../../lib/language.ts'
import { useChoices } from '../../parts/choices/choices.ts'
import { AgentFields } from './agent-fields.tsx'
import type { NumberDraft } from './number-draft.ts'

export interface NumberPanelProps {
  readonly value: NumberDraft
  readonly onChange: (changes: Partial<NumberDraft>) => void
  readonly disabled: boolean
}

const toNullIfEmpty = (text: string): string | null => (text === '' ? null : text)

export function OutboundPanel({ value, onChange, disabled }: NumberPanelProps) {
  const t = useText()
  return (
    <Panel title={t('Outbound calls')} description={t('The agent that places calls from this number.')}>
      <div className="grid gap-3 sm:grid-cols-[1fr_9rem]">
        <AgentFields
          label={t('Outbound agent')}
          name="outboundAgentId"
          emptyLabel={t('None')}
          value={value.outbound_agent}
          disabled={disabled}
          onChange={(choice) => onChange({ outbound_agent: choice })}
        />
      </div>
    </Panel>
  )
}

export function SettingsPanel({ value, onChange, disabled }: NumberPanelProps) {
  const t = useText()
  const { choices, isLoading } = useChoices('agents')
  return (
    <Panel title={t('Settings')}>
      <TextField
        label={t('Nickname')}
        help={t('Shown in lists.')}
        name="nickname"
        maxLength={200}
        disabled={disabled}
        value={value.nickname ?? ''}
        onChange={(text) => onChange({ nickname: toNullIfEmpty(text) })}
      />
      <RecordField
        label={t('Default agent')}
        help={t('Answers if no inbound agent is assigned.')}
        name="default_agent_id"
        emptyLabel={t('None')}
        choices={choices}
        isLoading={isLoading}
        disabled={disabled}
        value={value.default_agent_id}
        onChange={(id) => onChange({ default_agent_id: id })}
      />
      <SwitchField
        label={t('Sticky agents')}
        help={t('Repeat callers always reach the same agent.')}
        disabled={disabled}
        value={value.sticky}
        onChange={(sticky) => onChange({ sticky })}
      />
      <TextField
        label={t('Fallback number')}
        help={t('Called if no agent can answer.')}
        name="fallback_number"
        isOptional
        inputMode="tel"
        disabled={disabled}
        value={value.fallback_number ?? ''}
        onChange={(text) => onChange({ fallback_number: toNullIfEmpty(text) })}
      />
      <TextField
        label={t('Inbound webhook')}
        help={t('URL that provides dynamic variables before a call is answered.')}
        name="inbound_webhook_url"
        isOptional
        inputMode="url"
        spellCheck={false}
        disabled={disabled}
        value={value.inbound_webhook_url ?? ''}
        onChange={(text) => onChange({ inbound_webhook_url: toNullIfEmpty(text) })}
      />
    </Panel>
  )
}

/** Explains that phone calls are not available yet. */
export function TelephonyNote() {
  const t = useText()
  return (
    <p className="flex items-start gap-2.5 rounded-md bg-sunken px-3 py-2.5">
      <Info aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-muted" />
      <span>
        {t(
          'This server has no carrier connection yet. You can configure numbers, but not call them. Web calls need no number.',
        )}
      </span>
    </p>
  )
}
