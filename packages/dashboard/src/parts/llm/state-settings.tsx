import type { LlmState } from '@parley/contract/llm-state'
import { Plus, Split } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { useFieldProblem } from '../../components/field.tsx'
import { SelectField } from '../../components/fields.tsx'
import { Panel } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { useText } from '../../lib/language.ts'
import { freeName } from '../tools/new-tool.ts'
import { Fold } from './fold.tsx'
import type { LlmPartProps } from './llm-part.ts'
import { StateFields } from './state-fields.tsx'
import { removeState, replaceState } from './states.ts'

const LIST = 'states'
const FIRST = ''

/** Parts of a conversation, each with a prompt and tools of its own. */
export function StateSettings({ value, onChange, disabled }: LlmPartProps) {
  const t = useText()
  const { states, starting_state: start } = value
  const names = states.map(({ name }) => name)
  const problem = useFieldProblem(LIST)
  const add = (): void => onChange({ states: [...states, { name: freeName('state', names), state_prompt: '' }] })
  const addButton = !disabled && (
    <Button icon={Plus} className="w-fit" onClick={add}>
      {t('Add state')}
    </Button>
  )
  if (states.length === 0) {
    return (
      <Empty icon={Split} title={t('No states')} action={addButton}>
        {t(
          'States divide a long conversation: each has a prompt and tools of its own beside the general ones. Most agents need none.',
        )}
      </Empty>
    )
  }
  const choices = [{ value: FIRST, label: t('The first one') }, ...names.map((name) => ({ value: name, label: name }))]
  return (
    <div className="flex flex-col gap-5">
      <Panel>
        <SelectField
          label={t('A conversation begins in')}
          name="starting_state"
          value={start ?? FIRST}
          choices={choices}
          onChange={(chosen) => onChange({ starting_state: chosen === FIRST ? null : chosen })}
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
    </div>
  )
}

function StateList({ value, onChange, disabled }: LlmPartProps) {
  const t = useText()
  return value.states.map((state, index) => (
    <Fold
      // biome-ignore lint/suspicious/noArrayIndexKey: the name is what is being typed.
      key={index}
      title={state.name || t('Without a name')}
      hint={describe(state, t)}
      name={`${LIST}[${index}]`}
      isOpenFirst={state.state_prompt === ''}
    >
      <StateFields
        state={state}
        llm={value}
        name={`${LIST}[${index}]`}
        disabled={disabled}
        onChange={(changed) => onChange(replaceState(value, index, changed))}
        onRemove={() => onChange(removeState(value, index))}
      />
    </Fold>
  ))
}

function describe(
  { tools = [], edges = [] }: LlmState,
  t: (text: string, values: Record<string, number>) => string,
): string {
  return t('{tools, plural, one {# tool} other {# tools}}, {edges, plural, one {# way on} other {# ways on}}', {
    tools: tools.length,
    edges: edges.length,
  })
}
