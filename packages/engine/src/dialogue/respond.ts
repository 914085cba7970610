import type { Conversation, DialogueDependencies, DialogueEvent, TurnInput } from './conversation.ts'
import { runLlmTurn } from './llm-engine.ts'
import { Turn } from './turn.ts'

/**
 * Runs one turn of a conversation. The consumer stores each `message-end` before it asks for the next event, because the
 * tool calls in it are sent then. Never throws: failures are events. Aborting `signal` closes what is under way at once; the
 * turn then ends without `turn-end`, after the `message-end` of the text that was streamed.
 */
export function respond(
  dependencies: DialogueDependencies,
  conversation: Conversation,
  input: TurnInput,
  signal: AbortSignal,
): AsyncGenerator<DialogueEvent> {
  const turn = new Turn(dependencies, conversation, { input, signal })
  switch (conversation.engine.kind) {
    case 'llm':
      return runLlmTurn(turn)
  }
}
