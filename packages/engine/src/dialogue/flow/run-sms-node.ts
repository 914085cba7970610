import type { DialogueEvent } from '../conversation.ts'
import { parseJsonObject } from '../json.ts'
import { findRecordedStep } from '../llm/decide-after-step.ts'
import { requestToolCall } from '../models/request-tool-call.ts'
import { SMS_SENT } from '../tools/send-sms.ts'
import { buildQuestionPrompt, type FlowRun, type NodeContext } from './flow-run.ts'
import { type NodeEnd, type NodeStart, STOPPED } from './flow-step.ts'
import { toSafeName } from './node-call.ts'
import { getInstructionText, getNodeModel } from './node-scene.ts'
import { runNodeCall, type ToolCallOutcome } from './run-call.ts'

const WRITE_TASK =
  'Write a short text message to the user by calling write_message. It is sent unchanged, so write only its words, without placeholders.'
const WRITE_TOOL = {
  name: 'write_message',
  description: 'Writes the text message that is sent to the user.',
  parameters: {
    type: 'object',
    properties: { text: { type: 'string', description: 'The words of the message.' } },
    required: ['text'],
  },
}

/** Sends a node's text message and records it like a tool call, so that the message is never sent twice. */
export async function* runSmsNode(
  run: FlowRun,
  context: NodeContext,
  { priorMessages }: NodeStart,
): AsyncGenerator<DialogueEvent, NodeEnd> {
  const { node } = context
  const { instruction } = node
  const isModelWritten = instruction?.type === 'prompt'
  const text = isModelWritten
    ? (findWrittenText(priorMessages) ?? (yield* writeText(run, context)))
    : getInstructionText(node)
  if (run.turn.signal.aborted) return STOPPED
  const isTemplate = instruction?.type === 'template'
  if (!isTemplate && text.trim() === '') {
    return takeOutcomeEdge(context, {
      type: 'done',
      result: null,
      note: 'No text message was sent: there was nothing to send.',
    })
  }
  const name = toSafeName(node.name ?? '', 'send_sms')
  const smsContent = isTemplate
    ? ({ type: 'template', template: 'info_collection' } as const)
    : isModelWritten
      ? ({ type: 'inferred', prompt: text } as const)
      : ({ type: 'predefined', text } as const)
  const call = {
    tool: { type: 'send_sms', name, sms_content: smsContent } as const,
    mcps: [],
    needsArguments: false,
    nameAtServer: null,
  }
  const argumentsText = isModelWritten ? JSON.stringify({ text }) : '{}'
  return takeOutcomeEdge(
    context,
    yield* runNodeCall(run, context, { call, argumentsText, message: '', shouldWait: true, priorMessages }),
  )
}

function takeOutcomeEdge({ node }: NodeContext, outcome: ToolCallOutcome): NodeEnd {
  if (outcome.type === 'stopped') return { type: 'engine-end', end: outcome }
  const result = outcome.type === 'done' ? outcome.result : null
  const isSent = result !== null && (result.ok ?? result.content === SMS_SENT)
  const note = outcome.type === 'done' ? outcome.note : null
  return isSent
    ? { type: 'take-edge', edge: node.success_edge, reason: 'The message was sent.', note }
    : { type: 'take-edge', edge: node.failed_edge, reason: 'The message was not sent.', note }
}

/** Returns the text that the model wrote before the turn was interrupted, or `null` if there is none. */
function findWrittenText(priorMessages: NodeStart['priorMessages']): string | null {
  const call = findRecordedStep(priorMessages)?.calls[0]
  const text = call === undefined ? null : parseJsonObject(call.argumentsText)?.text
  return typeof text === 'string' ? text : null
}

async function* writeText(run: FlowRun, { node }: NodeContext): AsyncGenerator<DialogueEvent, string> {
  const prompt = buildQuestionPrompt(run, node, { task: WRITE_TASK, tool: WRITE_TOOL })
  const response = yield* requestToolCall(run.turn, { prompt, model: getNodeModel(run.engine, node) })
  const writtenText = parseJsonObject(response.call?.argumentsText ?? '')?.text
  return typeof writtenText === 'string' ? writtenText : response.text
}
