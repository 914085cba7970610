import type { Llm } from '@parley/contract/llm'
import type { LlmState, LlmStateEdge } from '@parley/contract/llm-state'
import { Plus, Split, Trash2 } from 'lucide-react'
import { Button, IconButton } from '../../components/button.tsx'
import { useFieldProblem } from '../../components/field.tsx'
import { SelectField, TextAreaField, TextField } from '../../components/fields.tsx'
import { Panel } from '../../components/page.tsx'
import { EmptyState } from '../../components/states.tsx'
import { useText } from '../../lib/language.ts'
import { ObjectJsonField } from '../tools/object-field.tsx'
import { findAvailableName } from '../tools/tool-kinds.ts'
import { ToolList } from '../tools/tool-list.tsx'
import { Collapsible } from './collapsible.tsx'
import { type LlmSectionProps, PromptField } from './prompt-settings.tsx'

const STATES_PATH = 'states'
const FIRST_STATE = ''

/** Renders the states of a conversation, each with separate instructions and tools. */
export function StateSettings({ value, onChange, disabled }: LlmSectionProps) {
  const t = useText()
  const { states, starting_state: start } = value
  const names = states.map(({ name }) => name)
  const problem = useFieldProblem(STATES_PATH)
  const addState = (): void =>
    onChange({ states: [...states, { name: findAvailableName('state', names), state_prompt: '' }] })
  const addButton = !disabled && (
    <Button icon={Plus} className="w-fit" onClick={addState}>
      {t('Add state')}
    </Button>
  )
  if (states.length === 0) {
    return (
      <EmptyState icon={Split} title={t('No states yet')} action={addButton}>
        {t(
          'States split a long conversation into phases with their own instructions and tools. Most agents need none.',
        )}
      </EmptyState>
    )
  }
  const choices = [
    { value: FIRST_STATE, label: t('First state') },
    ...names.map((name) => ({ value: name, label: name })),
  ]
  return (
    <>
      <Panel>
        <SelectField
          label={t('Starting state')}
          name="starting_state"
          value={start ?? FIRST_STATE}
          choices={choices}
          onChange={(selected) => onChange({ starting_state: selected === FIRST_STATE ? null : selected })}
          disabled={disabled}
        />
      </Panel>
      <Panel title={t('States')}>
        {problem !== null && (
          <p role="alert" dir="auto" className="text-bad">
            {problem}
          </p>
        )}
        <StateList value={value} onChange={onChange} disabled={disabled} />
        {addButton}
      </Panel>
    </>
  )
}

function StateList({ value, onChange, disabled }: LlmSectionProps) {
  const t = useText()
  return value.states.map((state, index) => (
    <Collapsible
      // biome-ignore lint/suspicious/noArrayIndexKey: the name changes while the user types.
      key={index}
      title={state.name || t('Unnamed')}
      hint={describeState(state, t)}
      name={`${STATES_PATH}[${index}]`}
      isOpenInitially={state.state_prompt === ''}
    >
      <StateFields
        state={state}
        llm={value}
        name={`${STATES_PATH}[${index}]`}
        disabled={disabled}
        onChange={(newValue) => onChange(replaceState(value, index, newValue))}
        onRemove={() => onChange(removeState(value, index))}
      />
    </Collapsible>
  ))
}

function describeState(
  { tools = [], edges = [] }: LlmState,
  t: (text: string, values: Record<string, number>) => string,
): string {
  return t('{tools, plural, one {# tool} other {# tools}}, {edges, plural, one {# edge} other {# edges}}', {
    tools: tools.length,
    edges: edges.length,
  })
}

interface StateFieldsProps {
  readonly state: LlmState
  readonly llm: Llm
  /** Path in the request body, such as `states[0]`. */
  readonly name: string
  readonly disabled: boolean
  readonly onChange: (state: LlmState) => void
  readonly onRemove: () => void
}

function StateFields({ state, llm, name, disabled, onChange, onRemove }: StateFieldsProps) {
  const t = useText()
  return (
    <>
      <TextField
        label={t('Name')}
        help={t('Letters, digits, "_" and "-".')}
        name={`${name}.name`}
        spellCheck={false}
        maxLength={50}
        value={state.name}
        onChange={(newName) => onChange({ ...state, name: newName })}
        disabled={disabled}
      />
      <PromptField
        label={t('State instructions')}
        help={t('Added to the general instructions in this state.')}
        name={`${name}.state_prompt`}
        minimumHeight="8rem"
        value={state.state_prompt ?? ''}
        onChange={(prompt) => onChange({ ...state, state_prompt: prompt })}
        disabled={disabled}
        defaults={llm.default_dynamic_variables}
      />
      <section className="flex min-w-0 flex-col gap-2">
        <h3 className="font-medium">{t('State tools')}</h3>
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
        <h3 className="font-medium">{t('Edges')}</h3>
        <EdgeList
          edges={state.edges ?? []}
          targets={llm.states.map((otherState) => otherState.name)}
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
  const nextTarget =
    targets.find((target) => !edges.some((edge) => edge.destination_state_name === target)) ?? targets[0]
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
          onChange={(newValue) =>
            onChange(edges.map((existingEdge, edgeIndex) => (edgeIndex === index ? newValue : existingEdge)))
          }
          onRemove={() => onChange(edges.filter((_edge, edgeIndex) => edgeIndex !== index))}
        />
      ))}
      {!disabled && nextTarget !== undefined && (
        <Button
          icon={Plus}
          className="w-fit"
          onClick={() => onChange([...edges, { destination_state_name: nextTarget, description: '' }])}
        >
          {t('Add edge')}
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
          label={t('Next state')}
          name={`${name}.destination_state_name`}
          value={edge.destination_state_name}
          choices={targets.map((target) => ({ value: target, label: target }))}
          onChange={(target) => onChange({ ...edge, destination_state_name: target })}
          disabled={disabled}
        />
        {!disabled && <IconButton icon={Trash2} label={t('Remove')} onClick={onRemove} />}
      </div>
      <TextAreaField
        label={t('Condition')}
        help={t('Tells the model when to take this edge.')}
        name={`${name}.description`}
        rows={2}
        value={edge.description}
        onChange={(description) => onChange({ ...edge, description })}
        disabled={disabled}
      />
      <ObjectJsonField
        label={t('Parameters (JSON Schema)')}
        help={t('The model fills these in, and they are stored as variables.')}
        name={`${name}.parameters`}
        value={edge.parameters}
        onChange={(parameters) => {
          const { parameters: _parameters, ...otherFields } = edge
          onChange(parameters === undefined ? otherFields : { ...otherFields, parameters: { ...parameters } })
        }}
        disabled={disabled}
      />
    </div>
  )
}

type StateSelection = Pick<Llm, 'states' | 'starting_state'>

/** Replaces a state and updates the edges that lead to a renamed state. */
export function replaceState(llm: StateSelection, index: number, newState: LlmState): StateSelection {
  const states = llm.states.map((state, stateIndex) => (stateIndex === index ? newState : state))
  const previousName = llm.states[index]?.name
  const isDuplicate = llm.states.some(({ name }, stateIndex) => stateIndex !== index && name === previousName)
  if (previousName === undefined || previousName === newState.name || isDuplicate)
    return { ...pickStateFields(llm), states }
  return {
    states: states.map((state) => renameTargets(state, previousName, newState.name)),
    starting_state: llm.starting_state === previousName ? newState.name : llm.starting_state,
  }
}

/** Removes a state and the edges that lead to it. */
export function removeState(llm: StateSelection, index: number): StateSelection {
  const removedName = llm.states[index]?.name
  const remainingStates = llm.states.filter((_state, stateIndex) => stateIndex !== index)
  if (remainingStates.some(({ name }) => name === removedName))
    return { ...pickStateFields(llm), states: remainingStates }
  return {
    states: remainingStates.map((state) =>
      state.edges === undefined
        ? state
        : { ...state, edges: state.edges.filter(({ destination_state_name: to }) => to !== removedName) },
    ),
    starting_state: llm.starting_state === removedName ? null : llm.starting_state,
  }
}

function renameTargets(state: LlmState, previousName: string, name: string): LlmState {
  if (state.edges === undefined) return state
  const edges = state.edges.map((edge) =>
    edge.destination_state_name === previousName ? { ...edge, destination_state_name: name } : edge,
  )
  return { ...state, edges }
}

const pickStateFields = ({ states, starting_state }: StateSelection): StateSelection => ({ states, starting_state })
