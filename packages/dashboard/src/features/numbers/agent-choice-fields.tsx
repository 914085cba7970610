import { SelectField } from '../../components/fields.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useChoices } from '../../parts/choices/choices.ts'
import type { AgentChoice } from './number-draft.ts'

/** Versions that are offered, the newest first. */
const MOST_VERSIONS = 100
/** Stands for no version in a list of words. */
const ACTIVE = ''

export interface AgentChoiceFieldsProps {
  readonly label: string
  readonly value: AgentChoice | null
  readonly onChange: (choice: AgentChoice | null) => void
  readonly disabled: boolean
  /** In the body that is sent. */
  readonly name: string
  /** Words for no agent, where there may be none. */
  readonly noneLabel?: string
}

/** An agent and the version of it that calls get. */
export function AgentChoiceFields({ label, value, onChange, disabled, name, noneLabel }: AgentChoiceFieldsProps) {
  const t = useText()
  const { choices, isLoading } = useChoices('agents')
  const id = value?.agent_id ?? ''
  return (
    <>
      <RecordField
        label={label}
        name={name}
        value={id === '' ? null : id}
        choices={choices}
        isLoading={isLoading}
        disabled={disabled}
        {...(noneLabel !== undefined && { noneLabel })}
        onChange={(agentId) => {
          if (agentId === id) return
          onChange(agentId === null ? null : { agent_id: agentId, agent_version: null })
        }}
      />
      {id === '' ? (
        <SelectField
          label={t('Version')}
          value={ACTIVE}
          choices={[{ value: ACTIVE, label: '–' }]}
          disabled
          onChange={() => undefined}
        />
      ) : (
        <VersionField
          agentId={id}
          value={value?.agent_version ?? null}
          disabled={disabled}
          onChange={(version) => onChange({ agent_id: id, agent_version: version })}
        />
      )}
    </>
  )
}

function VersionField({
  agentId,
  value,
  onChange,
  disabled,
}: {
  readonly agentId: string
  readonly value: number | null
  readonly onChange: (version: number | null) => void
  readonly disabled: boolean
}) {
  const t = useText()
  const versions = useRead('listAgentVersions', { path: { agentId }, query: { limit: MOST_VERSIONS } })
  const known = (versions.data ?? []).map(({ version }) => version)
  const offered = value === null || known.includes(value) ? known : [value, ...known]
  return (
    <SelectField
      label={t('Version')}
      value={value === null ? ACTIVE : String(value)}
      disabled={disabled}
      choices={[
        { value: ACTIVE, label: t('The active one') },
        ...offered.map((version) => ({ value: String(version), label: String(version) })),
      ]}
      onChange={(chosen) => onChange(chosen === ACTIVE ? null : Number(chosen))}
    />
  )
}
