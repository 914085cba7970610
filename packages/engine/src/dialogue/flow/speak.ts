import type { DialogueEvent } from '../conversation.ts'
import { converse, type SceneEnd } from '../llm/converse.ts'
import { ANSWER, type NextStep } from '../llm/decide-after-step.ts'
import { joinParagraphs } from '../text.ts'
import type { FlowRun, NodeContext } from './flow-run.ts'
import { buildNodeScene } from './node-scene.ts'

/** Options for speech by a node's model. */
export interface SpeechOptions {
  readonly instruction: string
  readonly withTools: boolean
  /** The step at which an interrupted turn continues. */
  readonly firstStep?: NextStep
}

/** Lets the node's model speak. Emits results of background calls before a failure ends the turn. */
export async function* speak(
  run: FlowRun,
  context: NodeContext,
  speech: SpeechOptions,
): AsyncGenerator<DialogueEvent, SceneEnd> {
  const { turn, engine, background } = run
  const { withTools, firstStep = ANSWER } = speech
  const instruction = joinParagraphs([speech.instruction, describePendingCalls(background.names)])
  const scene = buildNodeScene(engine, context.node, { graph: context.graph, instruction, withTools })
  const events = converse(turn, scene, firstStep)
  if (background.names.length === 0) return yield* events
  try {
    for (;;) {
      const next = await events.next()
      if (next.done === true) return next.value
      if (next.value.type !== 'turn-end') {
        yield next.value
        continue
      }
      yield* background.drain()
      if (turn.signal.aborted) return { type: 'stopped' }
      yield { ...next.value, state: turn.getState() }
    }
  } finally {
    await events.return({ type: 'stopped' })
  }
}

function describePendingCalls(names: readonly string[]): string {
  if (names.length === 0) return ''
  return `Still at work: ${names.join(', ')}. The outcome is not there yet; nothing has gone wrong.`
}
