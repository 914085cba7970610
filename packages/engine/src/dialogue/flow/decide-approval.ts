import type { DialogueEvent, PendingApproval } from '../conversation.ts'
import type { Choice } from './decide-transition.ts'
import type { FlowRun, NodeContext } from './flow-run.ts'
import { CANCELLED, type FlowStep } from './flow-step.ts'
import { explainDecision, followRoute } from './follow-route.ts'
import { getToolCallName } from './node-call.ts'
import { askRouter } from './router.ts'

/** Returns the pending approval request for the node's call, or `null` if there is none. */
export function findPendingApproval({ turn }: FlowRun, context: NodeContext): PendingApproval | null {
  const name = getToolCallName(context)
  return turn.approvals.findLast(({ toolName }) => toolName === name) ?? null
}

/** Builds the instruction that makes a model ask the user to approve a tool. */
export function buildApprovalPrompt(toolName: string): string {
  return (
    `Before the tool ${toolName} runs, the user has to agree. Say what is about to be done, and with which values, and ask ` +
    'whether to go on. Do not say that it has been done.'
  )
}

/** Reads the user's answer to an approval request, then runs the tool, skips it, or asks again. */
export async function* decideApproval(
  run: FlowRun,
  context: NodeContext,
  { approval, otherChoices }: { readonly approval: PendingApproval; readonly otherChoices: readonly Choice[] },
): AsyncGenerator<DialogueEvent, FlowStep> {
  const { toolName, args } = approval
  const approvalChoices: Choice[] = [
    { key: 'e1', condition: 'The user agrees, says yes.', route: { type: 'agreement', isApproved: true } },
    { key: 'e2', condition: 'The user does not want it, says no.', route: { type: 'agreement', isApproved: false } },
  ]
  run.hasAskedRouter = true
  const question = {
    choices: [...approvalChoices, ...otherChoices],
    fallbackKey: 'stay',
    fallbackDestination: null,
    variables: [],
    note: `The user was asked whether the tool ${toolName} may run with ${JSON.stringify(args)}.`,
  } as const
  const { answer, requestedCall } = yield* askRouter(run, context.node, question)
  if (requestedCall.cancelled) return CANCELLED
  const route = answer.choice?.route ?? null
  yield explainDecision(context, route?.type === 'agreement' ? null : route, {
    rationale: answer.rationale,
    requestedCall,
  })
  if (route === null) return { type: 'speak', note: buildApprovalPrompt(toolName) }
  if (route.type === 'agreement' && route.isApproved) {
    return { type: 'work', priorMessages: [], approvedArguments: JSON.stringify(args) }
  }
  run.turn.removeApproval(approval)
  if (route.type !== 'agreement') return followRoute(run, context, { route, trigger: 'user' })
  return { type: 'decide', trigger: 'worked', note: `The user did not agree, so the tool ${toolName} was not run.` }
}
