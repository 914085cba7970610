import { SelectField } from '../../components/fields.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import type { Engine } from '../../parts/test-case/engine.ts'
import type { TestCaseDraft } from './test-case-draft.ts'

export interface VersionFieldProps {
  readonly engine: Engine
  readonly value: TestCaseDraft['version']
  readonly onChange: (value: TestCaseDraft['version']) => void
  /** What a run would test now; null when another engine was chosen. */
  readonly current: number | null
  readonly disabled: boolean
}

/** Older ones are seldom tested again; the API takes any. */
const MOST_VERSIONS = 100

/** Which version of the engine is tested. */
export function VersionField({ engine, value, onChange, current, disabled }: VersionFieldProps) {
  const t = useText()
  const versions = useVersions(engine)
  const keep =
    current === null
      ? t('The newest one, whichever that is')
      : t('As it is stored: version {version} at present', { version: current })
  return (
    <SelectField
      label={t('Version of the engine')}
      help={t('Follow the newest one, or hold on to one of them.')}
      name="version"
      value={String(value)}
      choices={[
        { value: 'keep', label: keep },
        ...(current === null ? [] : [{ value: 'newest', label: t('The newest one, whichever that is') }]),
        ...versions.map((version) => ({ value: String(version), label: t('Always version {version}', { version }) })),
      ]}
      onChange={(chosen) => onChange(chosen === 'keep' || chosen === 'newest' ? chosen : Number(chosen))}
      disabled={disabled}
    />
  )
}

function useVersions({ kind, id }: Engine): readonly number[] {
  const query = { limit: MOST_VERSIONS }
  const isLlm = kind === 'llm'
  const ofLlm = useRead('listLlmVersions', { path: { llmId: id ?? '' }, query }, { enabled: isLlm && id !== null })
  const ofFlow = useRead(
    'listConversationFlowVersions',
    { path: { conversationFlowId: id ?? '' }, query },
    { enabled: !isLlm && id !== null },
  )
  const rows: readonly { readonly version: number }[] = (isLlm ? ofLlm.data : ofFlow.data) ?? []
  return rows.map(({ version }) => version)
}
