import type { Llm } from '@parley/contract/llm'
import type { LlmState, LlmStateEdge } from '@parley/contract/llm-state'
import { Plus, Trash2 } from 'lucide-react'
import { Button, IconButton } from '../../components/button.tsx'
import { SelectField, TextAreaField, TextField } from '../../components/fields.tsx'
import { useText } from '../../lib/language.ts'
import { ObjectJsonField } from '../tools/object-json-field.tsx'
import { ToolList } from '../tools/tool-list.tsx'
import { PromptField } from './prompt-settings.tsx'

export interface StateFieldsProps {
  readonly state: LlmState
  readonly llm: Llm
  /** Name in the body that is sent, such as `states[0]`. */
  readonly name: string
  readonly disabled: boolean
  readonly onChange: (state: LlmState) => void
  readonly onRemove: () => void
}

/** Everything about one state: its prompt, its tools and where it goes on. */
export function StateFields({ state, llm, name, disabled, onChange, onRemove }: StateFieldsProps) {
  const t = useText()
  return (
    <>
      <TextField
        label={t('Name')}
        help={t('Letters, digits, "_" and "-". Ways that lead here follow the name.')}
        name={`${name}.name`}
        spellCheck={false}
        maxLength={50}
        value={state.name}
        onChange={(typed) => onChange({ ...state, name: typed })}
        disabled={disabled}
      />
      <PromptField
        label={t('Prompt of the state')}
        help={t('Follows the general prompt while the conversation is here.')}
        name={`${name}.state_prompt`}
        minimumHeight="8rem"
        value={state.state_prompt ?? ''}
        onChange={(prompt) => onChange({ ...state, state_prompt: prompt })}
        disabled={disabled}
        defaults={llm.default_dynamic_variables}
      />
      <section className="flex min-w-0 flex-col gap-2">
        <h3 className="font-medium">{t('Tools of the state')}</h3>
        <ToolList
          tools={state.tools ?? []}
          onChange={(tools) => onChange({ ...state, tools })}
          disabled={disabled}
          name={`${name}.tools`}
          mcps={llm.mcps}
          variables={llm.default_dynamic_variables}
          secretsFrom={llm.llm_id}
        />
      </section>
      <section className="flex min-w-0 flex-col gap-3">
        <h3 className="font-medium">{t('Ways on')}</h3>
        <EdgeList
          edges={state.edges ?? []}
          targets={llm.states.map((one) => one.name)}
          name={`${name}.edges`}
          disabled={disabled}
          onChange={(edges) => onChange({ ...state, edges })}
        />
      </section>
      {!disabled && (
        <Button kind="quiet" icon={Trash2} className="w-fit" onClick={onRemove}>
          {t('Remove state')}
        </Button>
      )}
    </>
  )
}

interface EdgeListProps {
  readonly edges: readonly LlmStateEdge[]
  readonly targets: readonly string[]
  readonly name: string
  readonly disabled: boolean
  readonly onChange: (edges: LlmStateEdge[]) => void
}

function EdgeList({ edges, targets, name, disabled, onChange }: EdgeListProps) {
  const t = useText()
  const free = targets.find((target) => !edges.some((edge) => edge.destination_state_name === target)) ?? targets[0]
  return (
    <>
      {edges.map((edge, index) => (
        <EdgeFields
          // biome-ignore lint/suspicious/noArrayIndexKey: edges have no name.
          key={index}
          edge={edge}
          targets={targets}
          name={`${name}[${index}]`}
          disabled={disabled}
          onChange={(changed) => onChange(edges.map((one, at) => (at === index ? changed : one)))}
          onRemove={() => onChange(edges.filter((_edge, at) => at !== index))}
        />
      ))}
      {!disabled && free !== undefined && (
        <Button
          icon={Plus}
          className="w-fit"
          onClick={() => onChange([...edges, { destination_state_name: free, description: '' }])}
        >
          {t('Add way')}
        </Button>
      )}
    </>
  )
}

interface EdgeFieldsProps extends Pick<EdgeListProps, 'targets' | 'name' | 'disabled'> {
  readonly edge: LlmStateEdge
  readonly onChange: (edge: LlmStateEdge) => void
  readonly onRemove: () => void
}

function EdgeFields({ edge, targets, name, disabled, onChange, onRemove }: EdgeFieldsProps) {
  const t = useText()
  return (
    <div className="flex min-w-0 flex-col gap-3 rounded-md border border-line p-3">
      <div className="flex items-end gap-2">
        <SelectField
          className="flex-1"
          label={t('To state')}
          name={`${name}.destination_state_name`}
          value={edge.destination_state_name}
          choices={targets.map((target) => ({ value: target, label: target }))}
          onChange={(target) => onChange({ ...edge, destination_state_name: target })}
          disabled={disabled}
        />
        {!disabled && <IconButton icon={Trash2} label={t('Remove')} onClick={onRemove} />}
      </div>
      <TextAreaField
        label={t('When')}
        help={t('Tells the model when to go there.')}
        name={`${name}.description`}
        rows={2}
        value={edge.description}
        onChange={(description) => onChange({ ...edge, description })}
        disabled={disabled}
      />
      <ObjectJsonField
        label={t('What the model hands over, as JSON Schema')}
        help={t('It becomes variables.')}
        name={`${name}.parameters`}
        value={edge.parameters}
        onChange={(parameters) => {
          const { parameters: _before, ...others } = edge
          onChange(parameters === undefined ? others : { ...others, parameters: { ...parameters } })
        }}
        disabled={disabled}
      />
    </div>
  )
}
