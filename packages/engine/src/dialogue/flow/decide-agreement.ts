import type { DialogueEvent, PendingApproval } from '../conversation.ts'
import type { Choice } from './decide-transition.ts'
import type { FlowRun, Stand } from './flow-run.ts'
import { CANCELLED, type FlowStep } from './flow-step.ts'
import { callNameOf } from './node-call.ts'
import { modelOf } from './node-scene.ts'
import { askRouter } from './router.ts'
import { explain, follow } from './take-way.ts'

/** The call that the user was asked about when the node was at work; `null` when there is none. */
export function pendingAgreement({ turn }: FlowRun, stand: Stand): PendingApproval | null {
  const name = callNameOf(stand)
  return turn.approvals.findLast(({ toolName }) => toolName === name) ?? null
}

/** What a model is told to ask the user before a tool runs. */
export function askForAgreement(toolName: string): string {
  return (
    `Before the tool ${toolName} runs, the user has to agree. Say what is about to be done, and with which values, and ask ` +
    'whether to go on. Do not say that it has been done.'
  )
}

/** Reads the user's answer to the question whether a tool may run: it runs, it does not, or the user is asked again. */
export async function* decideAgreement(
  run: FlowRun,
  stand: Stand,
  { approval, elsewhere }: { readonly approval: PendingApproval; readonly elsewhere: readonly Choice[] },
): AsyncGenerator<DialogueEvent, FlowStep> {
  const { turn, engine } = run
  const { node } = stand
  const { toolName, args } = approval
  const answers: Choice[] = [
    { key: 'e1', condition: 'The user agrees, says yes.', way: { type: 'agreement', agrees: true } },
    { key: 'e2', condition: 'The user does not want it, says no.', way: { type: 'agreement', agrees: false } },
  ]
  run.judged = true
  const question = {
    choices: [...answers, ...elsewhere],
    otherwise: 'stay',
    otherwiseDestination: null,
    variables: [],
    globalPrompt: engine.globalPrompt,
    node,
    note: `The user was asked whether the tool ${toolName} may run with ${JSON.stringify(args)}.`,
  } as const
  const settings = { model: modelOf(engine, node), temperature: engine.temperature }
  const { answer, asked } = yield* askRouter(turn, question, settings)
  if (asked.cancelled) return CANCELLED
  const way = answer.choice?.way ?? null
  yield explain(stand, way?.type === 'agreement' ? null : way, { rationale: answer.rationale, asked })
  if (way === null) return { type: 'speak', note: askForAgreement(toolName) }
  if (way.type === 'agreement' && way.agrees) {
    return { type: 'work', before: [], agreedArguments: JSON.stringify(args) }
  }
  turn.settleApproval(approval)
  if (way.type !== 'agreement') return follow(run, stand, { way, moment: 'user' })
  return { type: 'decide', moment: 'worked', note: `The user did not agree, so the tool ${toolName} was not run.` }
}
