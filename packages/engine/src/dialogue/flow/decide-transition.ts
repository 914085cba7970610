import type { FixedFlowEdge, TransitionCondition } from '@parley/contract/flow-edge'
import { type AnyFlowNode, findElseEdge } from '@parley/contract/flow-node'
import type { FlowPlace } from '../conversation.ts'
import type { DecisionTier } from '../explanation.ts'
import type { VariableLookup } from '../variables/variables.ts'
import { evaluateEquation } from './evaluate-condition.ts'
import { type GlobalNode, isSilent } from './flow-graph.ts'

/** A transition from a node and the rule that selects it. */
export type Route =
  | {
      readonly type: 'edge'
      readonly tier: DecisionTier
      readonly edgeId: string
      /** `null`: leaves the component. */
      readonly destination: string | null
    }
  | { readonly type: 'global'; readonly tier: 'global'; readonly place: FlowPlace }
  | { readonly type: 'go-back'; readonly tier: 'go-back'; readonly edgeId: string | null; readonly place: FlowPlace }

/** The user's answer to an approval request. */
export interface ApprovalAnswer {
  readonly type: 'agreement'
  readonly isApproved: boolean
}

export type EdgeRoute = Extract<Route, { type: 'edge' }>

/** An option of a router, with a short key. */
export interface Choice {
  readonly key: string
  /** Condition in words; may contain `{{variables}}`. */
  readonly condition: string
  readonly route: Route | ApprovalAnswer
  /** Sample conversations that do and do not select the option. */
  readonly examples?: {
    readonly positive: readonly TransitionExample[]
    readonly negative: readonly TransitionExample[]
  }
}

export type TransitionExample = NonNullable<AnyFlowNode['finetune_transition_examples']>[number]

/** What triggers a decision. */
export type DecisionTrigger =
  /** The user has spoken. */
  | 'user'
  /** The user has spoken again before the entered node did its work. */
  | 'entered'
  /** The node has finished its silent work. */
  | 'worked'
  /** The node has spoken and can continue without an answer. */
  | 'spoken'

/** Whether the user's words trigger the decision. */
export function isUserTriggered(trigger: DecisionTrigger): boolean {
  return trigger === 'user' || trigger === 'entered'
}

/** Input of a decision. */
export interface DecisionFacts {
  readonly node: AnyFlowNode
  readonly trigger: DecisionTrigger
  readonly lookup: VariableLookup
  /** Whether an edge leads to a node or out of a component. */
  readonly hasDestination: (edge: Pick<FixedFlowEdge, 'destination_node_id'>) => boolean
  /** Destination of go-back conditions; `null` when the node was not entered as a global node. */
  readonly origin: FlowPlace | null
  /** Global nodes that can be entered now. */
  readonly globals: readonly GlobalNode[]
}

/** Result of the rules. */
export type Decision =
  | { readonly type: 'take'; readonly route: Route; readonly rationale: string }
  /** A router has to choose; `otherwise` applies when no choice fits, `null` stays. */
  | { readonly type: 'ask'; readonly choices: readonly Choice[]; readonly otherwise: EdgeRoute | null }
  | { readonly type: 'stay'; readonly rationale: string }

/**
 * Decides by precedence: the node's equations in order, equations of go-back conditions, `always_edge` (`skip_response_edge`
 * after the node has spoken), a router over prompts, go-back conditions and global nodes, the else edge; otherwise it stays.
 * Only the user's words leave a node that has not finished its work.
 */
export function decideTransition(facts: DecisionFacts): Decision {
  if (facts.trigger === 'entered') return decideByPrompt(facts)
  return decideByEquation(facts) ?? decideByPlace(facts) ?? decideByPrompt(facts)
}

function decideByEquation({ node, lookup, hasDestination, origin, trigger }: DecisionFacts): Decision | null {
  for (const edge of node.edges ?? []) {
    const { transition_condition: condition } = edge
    if (condition.type !== 'equation' || !hasDestination(edge) || !evaluateEquation(condition, lookup)) continue
    return { type: 'take', route: edgeRoute(edge, 'equation'), rationale: `The equation holds: ${describe(condition)}` }
  }
  if (origin === null || trigger === 'spoken') return null
  for (const { id = null, transition_condition: condition } of goBackConditions(node)) {
    if (condition.type !== 'equation' || !evaluateEquation(condition, lookup)) continue
    const route = { type: 'go-back', tier: 'go-back', edgeId: id, place: origin } as const
    return { type: 'take', route, rationale: `The equation to go back holds: ${describe(condition)}` }
  }
  return null
}

/** Edges without a condition. */
function decideByPlace({ node, hasDestination, trigger }: DecisionFacts): Decision | null {
  const { always_edge: always, skip_response_edge: skip } = node
  if (trigger === 'user' && always !== undefined && hasDestination(always)) {
    return { type: 'take', route: edgeRoute(always, 'always'), rationale: 'Taken after every turn of the user.' }
  }
  // Covers a node whose text opened the chat before the first turn.
  if (trigger !== 'worked' && skip !== undefined && hasDestination(skip)) {
    return { type: 'take', route: edgeRoute(skip, 'skip-response'), rationale: 'Taken when the node has spoken.' }
  }
  return trigger === 'spoken' ? { type: 'stay', rationale: 'The node waits for the user.' } : null
}

function decideByPrompt({ node, hasDestination, origin, globals, trigger }: DecisionFacts): Decision {
  const elseEdge = findElseEdge(node)
  const isEntered = trigger === 'entered'
  const otherwise =
    elseEdge !== undefined && hasDestination(elseEdge) && !isEntered ? edgeRoute(elseEdge, 'else') : null
  // The edges of a silent node depend on work that is not done yet.
  const own = (isEntered && isSilent(node) ? [] : (node.edges ?? []))
    .filter((edge) => edge !== elseEdge && edge.transition_condition.type === 'prompt' && hasDestination(edge))
    .map((edge, index): Choice => {
      return { key: `e${index + 1}`, condition: prompt(edge.transition_condition), route: edgeRoute(edge, 'prompt') }
    })
  const back = origin === null ? [] : goBackChoices(node, origin)
  const otherChoices = globals.map(({ place, setting }, index): Choice => {
    const { positive_finetune_examples: positive = [], negative_finetune_examples: negative = [] } = setting
    const route = { type: 'global', tier: 'global', place } as const
    return { key: `g${index + 1}`, condition: setting.condition, route, examples: { positive, negative } }
  })
  const choices = [...own, ...back, ...otherChoices]
  const [only] = choices
  if (trigger === 'worked' && otherwise === null && choices.length === 1 && only?.route.type === 'edge') {
    return { type: 'take', route: { ...only.route, tier: 'only-edge' }, rationale: 'The only available edge.' }
  }
  if (choices.length > 0) return { type: 'ask', choices, otherwise }
  if (otherwise !== null) return { type: 'take', route: otherwise, rationale: 'No other condition holds.' }
  return { type: 'stay', rationale: 'No edge applies.' }
}

function goBackChoices(node: AnyFlowNode, origin: FlowPlace): Choice[] {
  return goBackConditions(node)
    .filter(({ transition_condition: { type } }) => type === 'prompt')
    .map(({ id = null, transition_condition: condition }, index) => {
      const route = { type: 'go-back', tier: 'go-back', edgeId: id, place: origin } as const
      return { key: `b${index + 1}`, condition: prompt(condition), route }
    })
}

function goBackConditions(node: AnyFlowNode) {
  return node.global_node_setting?.go_back_conditions ?? []
}

/** The route of an edge under the rule `tier`. */
export function edgeRoute(edge: FixedFlowEdge, tier: DecisionTier): EdgeRoute {
  return { type: 'edge', tier, edgeId: edge.id, destination: edge.destination_node_id ?? null }
}

function prompt(condition: TransitionCondition): string {
  return condition.prompt ?? ''
}

function describe({
  equations,
  operator = '&&',
  prompt: text = '',
}: Extract<TransitionCondition, { type: 'equation' }>) {
  if (equations === undefined || equations.length === 0) return text
  return equations.map(({ left, operator: by, right }) => `${left} ${by} ${right ?? ''}`.trim()).join(` ${operator} `)
}
