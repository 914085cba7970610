import { SelectField } from '../../components/fields.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useChoices } from '../../parts/choices/choices.ts'
import type { AgentChoice } from './number-draft.ts'

const MAX_VERSIONS = 100
/** Selects the live version. */
const LIVE_VERSION = ''

export interface AgentFieldsProps {
  readonly label: string
  readonly value: AgentChoice | null
  readonly onChange: (choice: AgentChoice | null) => void
  readonly disabled: boolean
  /** Name of the field in the request body. */
  readonly name: string
  /** Label of the option without an agent. Omit it if an agent is required. */
  readonly emptyLabel?: string
}

/** Renders fields to select an agent and its version. */
export function AgentFields({ label, value, onChange, disabled, name, emptyLabel }: AgentFieldsProps) {
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
        {...(emptyLabel !== undefined && { emptyLabel })}
        onChange={(agentId) => {
          if (agentId === id) return
          onChange(agentId === null ? null : { agent_id: agentId, agent_version: null })
        }}
      />
      {id === '' ? (
        <SelectField
          label={t('Version')}
          value={LIVE_VERSION}
          choices={[{ value: LIVE_VERSION, label: '–' }]}
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

interface VersionFieldProps {
  readonly agentId: string
  readonly value: number | null
  readonly onChange: (version: number | null) => void
  readonly disabled: boolean
}

function VersionField({ agentId, value, onChange, disabled }: VersionFieldProps) {
  const t = useText()
  const versions = useRead('listAgentVersions', { path: { agentId }, query: { limit: MAX_VERSIONS } })
  const listedVersions = (versions.data ?? []).map(({ version }) => version)
  const selectableVersions =
    value === null || listedVersions.includes(value) ? listedVersions : [value, ...listedVersions]
  return (
    <SelectField
      label={t('Version')}
      value={value === null ? LIVE_VERSION : String(value)}
      disabled={disabled}
      choices={[
        { value: LIVE_VERSION, label: t('Live version') },
        ...selectableVersions.map((version) => ({ value: String(version), label: String(version) })),
      ]}
      onChange={(selectedVersion) => onChange(selectedVersion === LIVE_VERSION ? null : Number(selectedVersion))}
    />
  )
}
