import type { Llm } from '@parley/contract/llm'
import type { LlmState } from '@parley/contract/llm-state'

type StateParts = Pick<Llm, 'states' | 'starting_state'>

/** A state edited. When it is called otherwise now, what leads to it still does. */
export function replaceState(llm: StateParts, index: number, changed: LlmState): StateParts {
  const states = llm.states.map((state, at) => (at === index ? changed : state))
  const before = llm.states[index]?.name
  const isTwice = llm.states.some(({ name }, at) => at !== index && name === before)
  if (before === undefined || before === changed.name || isTwice) return { ...partsOf(llm), states }
  return {
    states: states.map((state) => renameTargets(state, before, changed.name)),
    starting_state: llm.starting_state === before ? changed.name : llm.starting_state,
  }
}

/** A state taken away, with the ways that lead to it. */
export function removeState(llm: StateParts, index: number): StateParts {
  const gone = llm.states[index]?.name
  const left = llm.states.filter((_state, at) => at !== index)
  if (left.some(({ name }) => name === gone)) return { ...partsOf(llm), states: left }
  return {
    states: left.map((state) =>
      state.edges === undefined
        ? state
        : { ...state, edges: state.edges.filter(({ destination_state_name: to }) => to !== gone) },
    ),
    starting_state: llm.starting_state === gone ? null : llm.starting_state,
  }
}

function renameTargets(state: LlmState, before: string, name: string): LlmState {
  if (state.edges === undefined) return state
  const edges = state.edges.map((edge) =>
    edge.destination_state_name === before ? { ...edge, destination_state_name: name } : edge,
  )
  return { ...state, edges }
}

const partsOf = ({ states, starting_state }: StateParts): StateParts => ({ states, starting_state })
