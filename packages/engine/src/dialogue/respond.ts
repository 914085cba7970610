import type { Conversation, DialogueDependencies, DialogueEvent, TurnInput } from './conversation.ts'
import { runCustomLlmTurn } from './custom-llm/run-custom-llm-turn.ts'
import { runFlowTurn } from './flow/flow-engine.ts'
import { runLlmTurn } from './llm/llm-engine.ts'
import type { AgentSwap } from './tools/swap-agents.ts'
import { type EngineEnd, Turn } from './turn.ts'

/**
 * Runs one turn of a conversation. The consumer stores each `message-end` before it asks for the next event, because the
 * tool calls in it are sent then. Never throws: failures are events. Aborting `signal` closes what is under way at once; the
 * turn then ends without `turn-end`, after the `message-end` of the text that was streamed.
 */
export async function* respond(
  dependencies: DialogueDependencies,
  conversation: Conversation,
  input: TurnInput,
  signal: AbortSignal,
): AsyncGenerator<DialogueEvent> {
  const turn = new Turn(dependencies, conversation, { input, signal })
  let end = yield* runEngine(turn)
  // The turn refuses hand-overs after the third, so that this comes to an end.
  while (end.type === 'handed-over' && !signal.aborted) {
    yield* handOver(turn, end.swap)
    end = yield* runEngine(turn)
  }
  if (end.type === 'ended') yield { type: 'action', action: { type: 'end', reason: 'agent_ended' } }
  if (end.type === 'over' || signal.aborted) return
  yield { type: 'turn-end', outcome: 'completed', state: turn.state() }
}

function runEngine(turn: Turn): AsyncGenerator<DialogueEvent, EngineEnd> {
  const { engine } = turn
  switch (engine.kind) {
    case 'llm':
      return runLlmTurn(turn, engine)
    case 'conversation-flow':
      return runFlowTurn(turn, engine)
    case 'custom-llm':
      return runCustomLlmTurn(turn, engine)
  }
}

async function* handOver(turn: Turn, { agent, settings }: AgentSwap): AsyncGenerator<DialogueEvent> {
  const fromEngine = turn.engine.kind
  turn.handOver(agent)
  const { agentId, agentVersion, agentName } = agent
  const explanation = { type: 'agent-swap', fromEngine, toAgentId: agentId, ok: true } as const
  yield { type: 'explanation', explanation }
  const action = { type: 'agent-swap', agent: { agentId, agentVersion, agentName }, settings } as const
  yield { type: 'action', action, state: turn.state() }
}
