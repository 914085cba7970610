import type { ErrorDetail } from '@parley/contract/errors'
import { FieldProblems } from '../../components/field.tsx'
import { NumberField, SelectField, TextField } from '../../components/fields.tsx'
import { CodeField } from '../../components/json-editor.tsx'
import { Panel } from '../../components/page.tsx'
import { useText } from '../../lib/language.ts'
import { KnowledgeSettings } from '../../parts/llm/knowledge-settings.tsx'
import { ModelField } from '../../parts/llm/model-field.tsx'
import { suggestVariables } from '../../parts/llm/variables.ts'
import { ObjectField } from '../../parts/tools/object-field.tsx'
import { type FlowDocument, isRecord } from './flow-document.ts'
import type { OutlinedNode } from './flow-outline.ts'

export interface FlowSettingsProps {
  readonly document: FlowDocument
  readonly onChange: (fields: FlowDocument) => void
  readonly nodes: readonly OutlinedNode[]
  readonly details: readonly ErrorDetail[]
  readonly disabled: boolean
}

const DEFAULT_TOP_K = 3
const DEFAULT_FILTER_SCORE = 0

export function FlowSettings(props: FlowSettingsProps) {
  const { document, onChange, details, disabled } = props
  const config = isRecord(document['kb_config']) ? document['kb_config'] : {}
  return (
    <FieldProblems details={details}>
      <div className="grid min-w-0 items-start gap-5 xl:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-5">
          <GeneralPanel {...props} />
          <ModelPanel {...props} />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <StartPanel {...props} />
          <KnowledgeSettings
            value={{
              knowledge_base_ids: toStrings(document['knowledge_base_ids']),
              kb_config: {
                top_k: toNumber(config['top_k']) ?? DEFAULT_TOP_K,
                filter_score: toNumber(config['filter_score']) ?? DEFAULT_FILTER_SCORE,
              },
            }}
            onChange={(changes) => onChange({ ...changes })}
            disabled={disabled}
          />
        </div>
      </div>
    </FieldProblems>
  )
}

function GeneralPanel({ document, onChange, disabled }: FlowSettingsProps) {
  const t = useText()
  const variables = isRecord(document['default_dynamic_variables']) ? document['default_dynamic_variables'] : {}
  return (
    <Panel title={t('General')}>
      <TextField
        label={t('Name')}
        name="display_name"
        maxLength={200}
        value={toText(document['display_name'])}
        onChange={(name) => onChange({ display_name: name })}
        disabled={disabled}
      />
      <CodeField
        label={t('Global instructions')}
        help={t('Added to the instructions of every node. Can contain {variables}.', {
          variables: '{{variables}}',
        })}
        name="global_prompt"
        language="prompt"
        minHeight="14rem"
        value={toText(document['global_prompt'])}
        onChange={(text) => onChange({ global_prompt: text })}
        completions={suggestVariables(variables as Readonly<Record<string, string>>)}
        disabled={disabled}
      />
      <ObjectField
        label={t('Default variables')}
        help={t('Used when a conversation provides no value.')}
        name="default_dynamic_variables"
        addLabel={t('Add variable')}
        value={variables}
        onChange={(variables) => onChange({ default_dynamic_variables: variables })}
        disabled={disabled}
      />
    </Panel>
  )
}

function StartPanel({ document, onChange, nodes, disabled }: FlowSettingsProps) {
  const t = useText()
  const speaker = document['start_speaker'] === 'user' ? 'user' : 'agent'
  const startNodeId = toText(document['start_node_id'])
  return (
    <Panel title={t('Start')}>
      <SelectField
        label={t('Speaks first')}
        name="start_speaker"
        value={speaker}
        choices={[
          { value: 'agent', label: t('The agent') },
          { value: 'user', label: t('The user') },
        ]}
        onChange={(value) => onChange({ start_speaker: value })}
        disabled={disabled}
      />
      <NumberField
        label={t('Speak after silence')}
        help={t('The agent speaks if the user stays silent this long. Leave empty to wait.')}
        name="begin_after_user_silence_ms"
        unit="ms"
        minimum={0}
        step={500}
        value={toNumber(document['begin_after_user_silence_ms'])}
        onChange={(milliseconds) => onChange({ begin_after_user_silence_ms: milliseconds })}
        disabled={disabled}
      />
      <SelectField
        label={t('Start node')}
        name="start_node_id"
        value={startNodeId}
        choices={[
          ...(startNodeId === '' ? [{ value: '', label: t('First node in the list') }] : []),
          ...nodes.map(({ id, name }) => ({ value: id, label: name === '' ? id : `${name} (${id})` })),
        ]}
        onChange={(id) => onChange({ start_node_id: id })}
        disabled={disabled}
      />
    </Panel>
  )
}

function ModelPanel({ document, onChange, disabled }: FlowSettingsProps) {
  const t = useText()
  const choice = isRecord(document['model_choice']) ? document['model_choice'] : {}
  return (
    <Panel title={t('Model')}>
      <ModelField
        label={t('Model')}
        help={t('Used by nodes without their own model.')}
        name="model_choice"
        value={toText(choice['model'])}
        onChange={(model) => onChange({ model_choice: model === '' ? null : { ...choice, type: 'cascading', model } })}
        disabled={disabled}
      />
      <div className="grid min-w-0 items-start gap-x-5 gap-y-4 sm:grid-cols-2">
        <NumberField
          label={t('Temperature')}
          help={t('From 0 (predictable) to 1 (varied). Leave empty for the default.')}
          name="model_temperature"
          minimum={0}
          maximum={1}
          step={0.05}
          value={toNumber(document['model_temperature'])}
          onChange={(temperature) => onChange({ model_temperature: temperature })}
          disabled={disabled}
        />
        <NumberField
          label={t('Max steps per turn')}
          help={t('Model and tool nodes in a row before the user speaks. Defaults to 8.')}
          name="max_hops_per_turn"
          minimum={1}
          maximum={100}
          step={1}
          value={toNumber(document['max_hops_per_turn'])}
          onChange={(hops) => onChange({ max_hops_per_turn: hops })}
          disabled={disabled}
        />
      </div>
    </Panel>
  )
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : '')
const toNumber = (value: unknown): number | null => (typeof value === 'number' ? value : null)
const toStrings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
