import type { ModelToolCall, ModelUsage } from '../../ports.ts'
import type { DialogueEvent } from '../conversation.ts'
import type { Prompt, Turn } from '../turn.ts'
import { streamWithFallback } from './model-stream.ts'

/** The outcome of a silent request to a model. */
export interface RequestedCall {
  /** The first call in the answer, or `null` if there is none or the request failed. */
  readonly call: ModelToolCall | null
  /** Text in place of a call, which the user does not hear. */
  readonly text: string
  readonly usage: Pick<ModelUsage, 'inputTokens' | 'outputTokens'>
  readonly latencyMs: number
  /** Whether the turn was canceled during the request. */
  readonly cancelled: boolean
}

/** Asks a model to call one of the prompt's tools, without saying anything to the user. A failure counts as no answer. */
export async function* requestToolCall(
  turn: Turn,
  question: { readonly prompt: Prompt; readonly model: string },
): AsyncGenerator<DialogueEvent, RequestedCall> {
  const { resolveModel, clock, deadlines } = turn.dependencies
  const { prompt, model } = question
  const modelNames = turn.getModels(model)
  const startedAtMs = clock.now()
  turn.modelCalls += 1
  let inputTokens = 0
  let outputTokens = 0
  const stream = streamWithFallback({
    modelNames,
    startIndex: turn.findFirstUsableModel(modelNames),
    resolveModel,
    clock,
    deadlines,
    signal: turn.signal,
    fallbackMessage: null,
    blankAnswerMessage: '',
    buildRequest: (currentModel) => turn.buildRequest(prompt, currentModel, 'required'),
  })
  for (;;) {
    const next = await stream.next()
    if (next.done === true) {
      const generation = next.value
      if (generation.type === 'answer') turn.recordAnsweringModel(modelNames, generation.modelIndex)
      return {
        call: generation.type === 'answer' ? (generation.toolCalls[0] ?? null) : null,
        text: generation.type === 'failed' ? '' : generation.text,
        usage: { inputTokens, outputTokens },
        latencyMs: clock.now() - startedAtMs,
        cancelled: turn.signal.aborted,
      }
    }
    const event = next.value
    if (event.type === 'usage') {
      inputTokens += event.usage.inputTokens
      outputTokens += event.usage.outputTokens
    }
    if (event.type !== 'text-delta') yield event
  }
}
