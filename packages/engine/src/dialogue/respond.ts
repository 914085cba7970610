import type { Conversation, DialogueDependencies, DialogueEvent, TurnInput } from './conversation.ts'
import { runCustomLlmTurn } from './custom-llm/run-custom-llm-turn.ts'
import { explain } from './explanation.ts'
import { runFlowTurn } from './flow/flow-engine.ts'
import { runLlmTurn } from './llm/llm-engine.ts'
import type { AgentSwap } from './tools/swap-agents.ts'
import { type EngineEnd, Turn } from './turn.ts'

/**
 * Runs one turn of a conversation. The consumer stores each `message-end` before it requests the next event, because the turn
 * then sends the message's tool calls. Failures are events, never exceptions. Aborting `signal` ends the turn without
 * `turn-end`, after the `message-end` of the partial text.
 */
export async function* respond(
  dependencies: DialogueDependencies,
  conversation: Conversation,
  input: TurnInput,
  signal: AbortSignal,
): AsyncGenerator<DialogueEvent> {
  const turn = new Turn(dependencies, conversation, { input, signal })
  let end = yield* runEngine(turn)
  // A turn allows at most three handovers, so the loop ends.
  while (end.type === 'handed-over' && !signal.aborted) {
    yield* handOver(turn, end.swap)
    end = yield* runEngine(turn)
  }
  if (end.type === 'ended') yield { type: 'action', action: { type: 'end', reason: 'agent_ended' } }
  if (end.type === 'stopped' || signal.aborted) return
  yield { type: 'turn-end', outcome: 'completed', state: turn.getState() }
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
  yield explain({ type: 'agent-swap', fromEngine, toAgentId: agentId, ok: true })
  const action = { type: 'agent-swap', agent: { agentId, agentVersion, agentName }, settings } as const
  yield { type: 'action', action, state: turn.getState() }
}
