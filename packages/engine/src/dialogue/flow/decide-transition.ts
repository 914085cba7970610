import type { FixedFlowEdge, TransitionCondition } from '@parley/contract/flow-edge'
import { type AnyFlowNode, findElseEdge } from '@parley/contract/flow-node'
import type { FlowPlace } from '../conversation.ts'
import type { DecisionTier } from '../explanation.ts'
import type { VariableLookup } from '../variables/variables.ts'
import { evaluateEquation } from './evaluate-condition.ts'
import { type GlobalNode, isSilent } from './flow-graph.ts'

/** A transition from a node, with the rule that selected it. */
export type Route =
  | {
      readonly type: 'edge'
      readonly tier: DecisionTier
      readonly edgeId: string
      /** The next place, or `null` to leave the component. */
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

/** An option that a router can choose by its short key. */
export interface Choice {
  readonly key: string
  /** Condition in natural language, which may contain `{{variables}}`. */
  readonly condition: string
  readonly route: Route | ApprovalAnswer
  /** Sample conversations in which the option is right or wrong. */
  readonly examples?: {
    readonly positive: readonly TransitionExample[]
    readonly negative: readonly TransitionExample[]
  }
}

export type TransitionExample = NonNullable<AnyFlowNode['finetune_transition_examples']>[number]

/** The trigger of a decision. */
export type DecisionTrigger =
  /** The user has spoken. */
  | 'user'
  /** The user has spoken again before the entered node finished its work. */
  | 'entered'
  /** The node has finished its silent work. */
  | 'worked'
  /** The node has spoken and can continue without an answer. */
  | 'spoken'

/** Whether the user's words trigger the decision. */
export function isUserTriggered(trigger: DecisionTrigger): boolean {
  return trigger === 'user' || trigger === 'entered'
}

/** The input of a decision. */
export interface DecisionInput {
  readonly node: AnyFlowNode
  readonly trigger: DecisionTrigger
  readonly lookup: VariableLookup
  /** Whether an edge leads to a node or out of a component. */
  readonly hasDestination: (edge: Pick<FixedFlowEdge, 'destination_node_id'>) => boolean
  /** Destination of go-back conditions, or `null` if the node was not entered as a global node. */
  readonly origin: FlowPlace | null
  /** Global nodes that the flow can enter now. */
  readonly globals: readonly GlobalNode[]
}

/** The outcome of the rules. */
export type Decision =
  | { readonly type: 'take'; readonly route: Route; readonly rationale: string }
  /** A router has to choose. If no choice fits, the flow takes `elseRoute`, or stays if it is `null`. */
  | { readonly type: 'ask'; readonly choices: readonly Choice[]; readonly elseRoute: EdgeRoute | null }
  | { readonly type: 'stay'; readonly rationale: string }

/**
 * Decides on a transition from a node. The first of these rules that applies wins:
 *
 * 1. equations of the node, in order
 * 2. equations of go-back conditions
 * 3. `always_edge`, or `skip_response_edge` after the node has spoken
 * 4. a router over prompts, go-back conditions and global nodes
 * 5. the else edge
 *
 * Otherwise the flow stays. Only the user's words leave a node that has not finished its work.
 */
export function decideTransition(input: DecisionInput): Decision {
  if (input.trigger === 'entered') return decideByPrompt(input)
  return decideByEquation(input) ?? decideByFixedEdge(input) ?? decideByPrompt(input)
}

function decideByEquation({ node, lookup, hasDestination, origin, trigger }: DecisionInput): Decision | null {
  for (const edge of node.edges ?? []) {
    const { transition_condition: condition } = edge
    if (condition.type !== 'equation' || !hasDestination(edge) || !evaluateEquation(condition, lookup)) continue
    return {
      type: 'take',
      route: toEdgeRoute(edge, 'equation'),
      rationale: `The equation holds: ${describeEquations(condition)}`,
    }
  }
  if (origin === null || trigger === 'spoken') return null
  for (const { id = null, transition_condition: condition } of listGoBackConditions(node)) {
    if (condition.type !== 'equation' || !evaluateEquation(condition, lookup)) continue
    const route = { type: 'go-back', tier: 'go-back', edgeId: id, place: origin } as const
    return { type: 'take', route, rationale: `The equation to go back holds: ${describeEquations(condition)}` }
  }
  return null
}

/** Decides by an edge without a condition, or returns `null` if no such edge applies. */
function decideByFixedEdge({ node, hasDestination, trigger }: DecisionInput): Decision | null {
  const { always_edge: alwaysEdge, skip_response_edge: skipEdge } = node
  if (trigger === 'user' && alwaysEdge !== undefined && hasDestination(alwaysEdge)) {
    return { type: 'take', route: toEdgeRoute(alwaysEdge, 'always'), rationale: 'Taken after every user turn.' }
  }
  // Also applies if the node's static text opened the chat before the first turn.
  if (trigger !== 'worked' && skipEdge !== undefined && hasDestination(skipEdge)) {
    return { type: 'take', route: toEdgeRoute(skipEdge, 'skip-response'), rationale: 'Taken after the node spoke.' }
  }
  return trigger === 'spoken' ? { type: 'stay', rationale: 'The node waits for the user.' } : null
}

function decideByPrompt({ node, hasDestination, origin, globals, trigger }: DecisionInput): Decision {
  const elseEdge = findElseEdge(node)
  const isEntered = trigger === 'entered'
  const elseRoute =
    elseEdge !== undefined && hasDestination(elseEdge) && !isEntered ? toEdgeRoute(elseEdge, 'else') : null
  // A silent node's edges depend on work that is not done yet.
  const promptChoices = (isEntered && isSilent(node) ? [] : (node.edges ?? []))
    .filter((edge) => edge !== elseEdge && edge.transition_condition.type === 'prompt' && hasDestination(edge))
    .map((edge, index): Choice => {
      return {
        key: `e${index + 1}`,
        condition: getPromptText(edge.transition_condition),
        route: toEdgeRoute(edge, 'prompt'),
      }
    })
  const goBackChoices = origin === null ? [] : listGoBackChoices(node, origin)
  const globalChoices = globals.map(({ place, setting }, index): Choice => {
    const { positive_finetune_examples: positive = [], negative_finetune_examples: negative = [] } = setting
    const route = { type: 'global', tier: 'global', place } as const
    return { key: `g${index + 1}`, condition: setting.condition, route, examples: { positive, negative } }
  })
  const choices = [...promptChoices, ...goBackChoices, ...globalChoices]
  const [onlyChoice] = choices
  if (trigger === 'worked' && elseRoute === null && choices.length === 1 && onlyChoice?.route.type === 'edge') {
    return { type: 'take', route: { ...onlyChoice.route, tier: 'only-edge' }, rationale: 'The only available edge.' }
  }
  if (choices.length > 0) return { type: 'ask', choices, elseRoute }
  if (elseRoute !== null) return { type: 'take', route: elseRoute, rationale: 'No other condition holds.' }
  return { type: 'stay', rationale: 'No edge applies.' }
}

function listGoBackChoices(node: AnyFlowNode, origin: FlowPlace): Choice[] {
  return listGoBackConditions(node)
    .filter(({ transition_condition: { type } }) => type === 'prompt')
    .map(({ id = null, transition_condition: condition }, index) => {
      const route = { type: 'go-back', tier: 'go-back', edgeId: id, place: origin } as const
      return { key: `b${index + 1}`, condition: getPromptText(condition), route }
    })
}

function listGoBackConditions(node: AnyFlowNode) {
  return node.global_node_setting?.go_back_conditions ?? []
}

/** Builds an edge's route. `tier` is the rule that selected the edge. */
export function toEdgeRoute(edge: FixedFlowEdge, tier: DecisionTier): EdgeRoute {
  return { type: 'edge', tier, edgeId: edge.id, destination: edge.destination_node_id ?? null }
}

function getPromptText(condition: TransitionCondition): string {
  return condition.prompt ?? ''
}

function describeEquations({
  equations,
  operator = '&&',
  prompt: text = '',
}: Extract<TransitionCondition, { type: 'equation' }>) {
  if (equations === undefined || equations.length === 0) return text
  return equations
    .map(({ left, operator: comparison, right }) => `${left} ${comparison} ${right ?? ''}`.trim())
    .join(` ${operator} `)
}
