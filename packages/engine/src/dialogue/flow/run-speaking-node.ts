import type { DialogueEvent } from '../conversation.ts'
import { say } from '../llm/converse.ts'
import { ANSWER, type NextStep, resumeTurn } from '../llm/decide-after-step.ts'
import { joinParagraphs } from '../text.ts'
import { renderTemplate } from '../variables/variables.ts'
import { formatConversationExamples } from './examples.ts'
import { countVisits } from './flow-position.ts'
import type { FlowRun, NodeContext } from './flow-run.ts'
import { ENDED, type NodeEnd, type NodeStart, STOPPED } from './flow-step.ts'
import { buildNodeScene, buildRephraseInstruction, getInstructionText } from './node-scene.ts'
import { speak } from './speak.ts'

/** Runs a `conversation` or `subagent` node: says its static text or lets its model speak. */
export async function* runConversationNode(
  run: FlowRun,
  context: NodeContext,
  { priorMessages }: NodeStart,
): AsyncGenerator<DialogueEvent, NodeEnd> {
  const { turn } = run
  const firstStep = getResumeStep(run, context, priorMessages)
  if (firstStep.type === 'finish') return firstStep.endsConversation ? ENDED : { type: 'spoken' }
  if (firstStep === ANSWER && isSpokenVerbatim(context)) {
    const text = renderTemplate(getInstructionText(context.node), turn.lookup)
    if (text.trim() !== '') return (yield* say(turn, text)) ? { type: 'spoken' } : STOPPED
  }
  return yield* speakByModel(run, context, { firstStep })
}

/** Lets the node's model speak according to the node's instruction. */
export async function* speakByModel(
  run: FlowRun,
  context: NodeContext,
  options: { readonly firstStep?: NextStep; readonly note?: string | null } = {},
): AsyncGenerator<DialogueEvent, NodeEnd> {
  const { firstStep = ANSWER, note = null } = options
  const instruction = joinParagraphs([
    getSpokenInstruction(run, context),
    formatConversationExamples(context.node),
    note ?? '',
  ])
  const end = yield* speak(run, context, { instruction, withTools: true, firstStep })
  switch (end.type) {
    case 'answered':
    case 'moved':
      return { type: 'spoken' }
    default:
      return { type: 'engine-end', end }
  }
}

/** Says the node's closing message, if any. A failure still ends the conversation. */
export async function* runEndNode(
  run: FlowRun,
  context: NodeContext,
  { priorMessages }: NodeStart,
): AsyncGenerator<DialogueEvent, NodeEnd> {
  const { turn } = run
  if (priorMessages.some(({ role, content }) => role === 'assistant' && content !== '')) return ENDED
  const { instruction, speak_during_execution: shouldSpeak } = context.node
  const isSilenced = shouldSpeak === false
  if (instruction?.type === 'prompt' && instruction.text.trim() !== '' && !isSilenced) {
    const firstStep = { type: 'generate', toolChoice: 'none', isClosing: true } as const
    yield* speak(run, context, { instruction: instruction.text, withTools: false, firstStep })
    return turn.signal.aborted ? STOPPED : ENDED
  }
  const text = isSilenced ? '' : renderTemplate(getInstructionText(context.node), turn.lookup)
  // A default text might be in a language that the agent does not speak.
  if (text.trim() === '') return ENDED
  return (yield* say(turn, text)) ? ENDED : STOPPED
}

/** Whether the node says its static text unchanged. A text with `reword_on_revisit` changes after the first visit. */
function isSpokenVerbatim({ node, position }: NodeContext): boolean {
  if (node.instruction?.type !== 'static_text') return false
  return node.reword_on_revisit !== true || countVisits(position, position) <= 1
}

/** Returns the instruction for the node's model. */
function getSpokenInstruction({ turn }: FlowRun, { node }: NodeContext): string {
  const text = getInstructionText(node)
  if (renderTemplate(text, turn.lookup).trim() === '') return ''
  // A silent node has already said its instruction as the execution message.
  if (node.speak_during_execution === true && node.type !== 'end') return ''
  return node.instruction?.type === 'static_text' ? buildRephraseInstruction(text) : text
}

/** Returns the step at which an interrupted turn continues. */
function getResumeStep(
  { turn, engine }: FlowRun,
  { node, graph }: NodeContext,
  priorMessages: NodeStart['priorMessages'],
): NextStep {
  if (!turn.resumed || priorMessages.length === 0) return ANSWER
  return resumeTurn(priorMessages, buildNodeScene(engine, node, { graph, instruction: '', withTools: true }).tools)
}
