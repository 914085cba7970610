import type { Mutation } from './mutation.ts'

const area = 'flow'
const FLOW = 'packages/engine/src/dialogue/flow'

/** Faults in the transitions of conversation flows. */
export const FLOW_DECISIONS: readonly Mutation[] = [
  {
    id: 'equations-after-fixed-edges',
    area,
    behavior: 'An edge whose equation holds is ignored where the node also has an edge that is always taken.',
    before: {
      file: `${FLOW}/decide-transition.ts`,
      find: 'decideByEquation(input) ?? decideByFixedEdge(input) ?? decideByPrompt(input)',
      replace: 'decideByFixedEdge(input) ?? decideByEquation(input) ?? decideByPrompt(input)',
    },
  },
  {
    id: 'cool-down-one-early',
    area,
    behavior: 'A global node is entered again one transition before its cool-down is over.',
    before: {
      file: `${FLOW}/flow-position.ts`,
      find: 'position.transitions - lastEntry > coolDown',
      replace: 'position.transitions - lastEntry >= coolDown',
    },
  },
  {
    id: 'unset-variable-is-equal',
    area,
    behavior: 'The condition "variable is not X" fails while the variable is not set.',
    before: {
      file: `${FLOW}/evaluate-condition.ts`,
      find: 'return !areBothSet || !areEqual(first, second)',
      replace: 'return areBothSet && !areEqual(first, second)',
    },
  },
  {
    id: 'one-hop-too-many',
    area,
    behavior: 'A flow makes one more model call per turn than its limit allows.',
    before: {
      file: `${FLOW}/hop-budget.ts`,
      find: 'return this.#hops >= this.#maxHops &&',
      replace: 'return this.#hops > this.#maxHops &&',
    },
  },
  {
    id: 'goes-back-to-same-place-twice',
    area,
    behavior: 'After two nested digressions, going back twice ends at the inner place instead of the first one.',
    before: {
      file: `${FLOW}/flow-position.ts`,
      find: 'return from.origins.slice(0, -1)',
      replace: 'return from.origins',
    },
  },
  {
    id: 'ambiguous-choice-taken',
    area,
    behavior: 'A model that names two edges at once moves the conversation along the first one.',
    before: {
      file: `${FLOW}/parse-choice.ts`,
      find: 'return mentionedKeys.size === 1 && isKeySelected(key, words, options) ? key : null',
      replace: 'return isKeySelected(key, words, options) ? key : null',
    },
  },
  {
    id: 'else-edge-ignored',
    area,
    behavior: 'When none of the conditions fits, the conversation stays at the node instead of taking the else edge.',
    before: {
      file: `${FLOW}/decide-next-step.ts`,
      find: 'const selectedRoute = answer.choice?.route ?? elseRoute',
      replace: 'const selectedRoute = answer.choice?.route ?? null',
    },
  },
]
