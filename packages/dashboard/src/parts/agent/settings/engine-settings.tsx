import type { EngineKind, ResponseEngine } from '@parley/contract/response-engine'
import { Link } from '@tanstack/react-router'
import { NumberField, SelectField, TextField } from '../../../components/fields.tsx'
import { Panel } from '../../../components/page.tsx'
import { RecordField } from '../../../components/record-field.tsx'
import { useText } from '../../../lib/language.ts'
import { useWorkspaceId } from '../../../lib/workspace.ts'
import { useChoices } from '../../choices/choices.ts'
import { createEmptyEngine, toEngineKind } from '../engine.ts'
import { FIELD_GRID, type SharedSectionProps } from './agent-part.ts'

export function EngineSettings({ value, onChange, disabled }: SharedSectionProps) {
  const t = useText()
  const engine = value.response_engine
  const kind = toEngineKind(engine.type)
  const setEngine = (newEngine: ResponseEngine): void => onChange({ response_engine: newEngine })
  return (
    <Panel title={t('Response engine')}>
      <div className={FIELD_GRID}>
        <SelectField<EngineKind>
          label={t('Type')}
          name="response_engine.type"
          disabled={disabled}
          value={kind}
          choices={[
            { value: 'llm', label: t('Prompt') },
            { value: 'conversation-flow', label: t('Conversation flow') },
            { value: 'custom-llm', label: t('Custom LLM') },
          ]}
          onChange={(selected) => {
            if (selected !== kind) setEngine(createEmptyEngine(selected))
          }}
        />
        <EngineField engine={engine} onChange={setEngine} disabled={disabled} />
        {kind !== 'custom-llm' && (
          <NumberField
            label={t('Version')}
            name="response_engine.version"
            isOptional
            help={t('Leave empty to always use the latest version.')}
            minimum={1}
            disabled={disabled}
            value={engine.version}
            onChange={(version) => setEngine({ ...engine, version })}
          />
        )}
      </div>
    </Panel>
  )
}

interface EngineFieldProps {
  readonly engine: ResponseEngine
  readonly onChange: (engine: ResponseEngine) => void
  readonly disabled: boolean
}

function EngineField({ engine, onChange, disabled }: EngineFieldProps) {
  const t = useText()
  if ('llm_websocket_url' in engine) {
    return (
      <TextField
        label={t('Server URL')}
        name="response_engine.llm_websocket_url"
        help={t('A WebSocket URL that starts with wss:// or ws://.')}
        type="url"
        spellCheck={false}
        disabled={disabled}
        value={engine.llm_websocket_url}
        onChange={(url) => onChange({ ...engine, llm_websocket_url: url })}
      />
    )
  }
  return 'llm_id' in engine ? (
    <LlmField engine={engine} onChange={onChange} disabled={disabled} />
  ) : (
    <FlowField engine={engine} onChange={onChange} disabled={disabled} />
  )
}

type EngineWith<Field extends string> = Extract<ResponseEngine, { readonly [Key in Field]: string }>

function LlmField({ engine, onChange, disabled }: EngineFieldProps & { readonly engine: EngineWith<'llm_id'> }) {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const { choices, isLoading } = useChoices('llms')
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <RecordField
        label={t('Prompt')}
        name="response_engine.llm_id"
        disabled={disabled}
        isLoading={isLoading}
        value={engine.llm_id}
        choices={choices}
        onChange={(id) => onChange({ ...engine, llm_id: id ?? '', version: null })}
      />
      {engine.llm_id !== '' && (
        <Link
          to="/$workspaceId/llms/$llmId"
          params={{ workspaceId, llmId: engine.llm_id }}
          className="w-fit text-brand-text hover:underline"
        >
          {t('Open prompt')}
        </Link>
      )}
    </div>
  )
}

function FlowField({
  engine,
  onChange,
  disabled,
}: EngineFieldProps & { readonly engine: EngineWith<'conversation_flow_id'> }) {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const { choices, isLoading } = useChoices('flows')
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <RecordField
        label={t('Conversation flow')}
        name="response_engine.conversation_flow_id"
        disabled={disabled}
        isLoading={isLoading}
        value={engine.conversation_flow_id}
        choices={choices}
        onChange={(id) => onChange({ ...engine, conversation_flow_id: id ?? '', version: null })}
      />
      {engine.conversation_flow_id !== '' && (
        <Link
          to="/$workspaceId/flows/$flowId"
          params={{ workspaceId, flowId: engine.conversation_flow_id }}
          className="w-fit text-brand-text hover:underline"
        >
          {t('Open flow')}
        </Link>
      )}
    </div>
  )
}
