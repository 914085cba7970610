import type { Conversation, DialogueDependencies, TurnInput } from '@parley/engine/dialogue/conversation'
import { respond } from '@parley/engine/dialogue/respond'
import type { Clock, MakeId, ResolveModel } from '@parley/engine/ports'
import { BatchConflictError, type BatchStatement, type Database } from '../../../kernel/storage/database.ts'
import type { ChatRow, MessageRow } from '../../../tables/chat-tables.ts'
import type { AgentUse } from '../../agents/public.ts'
import type { StoredUsage } from '../chat-cost.ts'
import type { ChatEvents } from '../chat-events.ts'
import { type HandoffColumns, readHandoffs } from '../chat-events.ts'
import { isStored, type RetryingWrites } from '../failover/retrying-writes.ts'
import type { TurnJournal } from '../journal/turn-journal.ts'
import { buildEndEvents } from './advance-turn.ts'
import type { TurnRun } from './turn-run.ts'
import type { AgentSwap, Answer, StoreEffect, TurnEnding } from './turn-state.ts'
import {
  buildAppendStatements,
  buildFinishStatements,
  type MessageLocation,
  TURN_STATEMENT,
  toRow,
} from './turn-writes.ts'

export interface TurnPerformerDependencies {
  readonly database: Database
  readonly nodes: { readonly nodeId: string }
  readonly makeId: MakeId
  readonly clock: Clock
  /** Returns the engine's dependencies in a workspace. Tool requests are signed with the workspace's secret. */
  readonly dialogueFor: (workspaceId: number, resolveModel: ResolveModel) => DialogueDependencies
  readonly events: Pick<ChatEvents, 'turnsEnded' | 'ended' | 'handOver'>
  readonly agents: AgentUse
  /** Returns the cost in USD, or null if the price is unknown. */
  readonly computeCost: (model: string, usage: Omit<StoredUsage, 'model' | 'cost'>) => number | null
  readonly writes: RetryingWrites
  /** Null if no other node can serve or continue a turn. */
  readonly journal: TurnJournal | null
}

/** A turn that is about to answer. */
interface PerformedTurn {
  readonly run: TurnRun
  readonly chat: ChatRow
  /** Finds the models that the workspace can use. */
  readonly resolveModel: ResolveModel
  readonly conversation: Conversation
  readonly input: TurnInput
  /** Resolves when the user's message is stored. The model starts earlier, but nothing else is stored or published before. */
  readonly started: Promise<void>
}

/** Thrown when another node owns the turn and nothing was written. */
export class TurnLostError extends Error {
  constructor() {
    super('Another node took over the turn.')
    this.name = 'TurnLostError'
  }
}

/** Runs the engine through one turn and stores its decisions. Rejects only if storing fails. */
export async function performTurn(dependencies: TurnPerformerDependencies, turn: PerformedTurn): Promise<void> {
  const { run, chat, conversation, input, started } = turn
  const { clock, dialogueFor } = dependencies
  const dialogue = dialogueFor(chat.workspace_id, turn.resolveModel)
  for await (const event of respond(dialogue, conversation, input, run.signal)) {
    const effects = run.dispatch({ type: 'engine', event, nowMs: clock.now() })
    if (effects.length > 0) await performStoreEffects(dependencies, turn, effects)
  }
  await started
  await performStoreEffects(dependencies, turn, run.dispatch({ type: 'engine-ended' }))
}

/** Ends a turn with its stored messages, without continuing the answer. */
export async function interruptTurn(
  dependencies: TurnPerformerDependencies,
  turn: Pick<PerformedTurn, 'run' | 'chat'>,
): Promise<void> {
  const effects = turn.run.dispatch({ type: 'interrupt' })
  await performStoreEffects(dependencies, { ...turn, started: Promise.resolve() }, effects)
}

type StoringTurn = Pick<PerformedTurn, 'run' | 'chat' | 'started'>

async function performStoreEffects(
  dependencies: TurnPerformerDependencies,
  turn: StoringTurn,
  effects: readonly StoreEffect[],
): Promise<void> {
  const { run, chat } = turn
  for (const effect of effects) {
    await turn.started
    const { state } = run
    if (state.phase !== 'answering' && state.phase !== 'storing') return
    if (effect.type === 'hand-over') {
      const handoffColumns = await handOffChat(dependencies, { chat, answer: state.answer }, effect.swap)
      await performStoreEffects(dependencies, turn, run.dispatch({ type: 'handed-over', handoffColumns }))
    } else if (effect.type === 'commit') await commitMessages(dependencies, run, state.answer)
    else if (state.phase === 'storing') await storeEnd(dependencies, { run, chat, ...state })
  }
}

/** Hands off the chat to another agent, including its post-processing. Returns the changed columns. */
async function handOffChat(
  { agents, events, clock }: TurnPerformerDependencies,
  { chat, answer }: { readonly chat: ChatRow; readonly answer: Answer },
  { agent, settings }: AgentSwap,
): Promise<HandoffColumns> {
  const now = clock.now()
  const current = { ...chat, ...answer.handoffColumns }
  const { engine } = answer.state ?? answer.before
  const { agentId, agentVersion, agentName } = agent
  const pin = { agentId, agentVersion, engineId: engine.id, engineVersion: engine.version }
  const { postProcessing } = await agents.load({ ...pin, workspaceId: chat.workspace_id })
  const handOvers = [...readHandoffs(current), { ...pin, agentName, at: now, settings }]
  return { ...events.handOver(current, postProcessing, now), hand_overs: JSON.stringify(handOvers) }
}

async function commitMessages(dependencies: TurnPerformerDependencies, run: TurnRun, answer: Answer): Promise<void> {
  const { database, nodes } = dependencies
  const location = getMessageLocation(dependencies, run, answer)
  const rows = buildMessageRows(dependencies, location, answer)
  const progress = {
    messages: rows,
    state: answer.state,
    handoffColumns: answer.handoffColumns,
    nodeId: nodes.nodeId,
  }
  await writeTurn(dependencies, run, {
    statements: buildAppendStatements(database, location, progress),
    rows,
    status: 'running',
  })
  run.dispatch({ type: 'committed', rows })
}

interface EndingTurnContext {
  readonly run: TurnRun
  readonly chat: ChatRow
  readonly answer: Answer
  readonly ending: TurnEnding
}

/** Stores the turn's end together with its chat events. */
async function storeEnd(dependencies: TurnPerformerDependencies, turn: EndingTurnContext): Promise<void> {
  const { database, nodes, journal, computeCost } = dependencies
  const { run, answer, ending } = turn
  const { status, failure } = ending
  const location = getMessageLocation(dependencies, run, answer)
  const rows = buildMessageRows(dependencies, location, answer)
  const finalEventCount = buildEndEvents(rows, ending).length + 1
  const statements = buildFinishStatements(database, {
    ...ending,
    location,
    messages: rows,
    error: failure,
    usage: answer.usage.map((usage) => ({ ...usage, cost: computeCost(usage.model, usage) })),
    explanation: answer.decisions,
    firstTextMs: answer.firstTextMs,
    eventCount: run.log.lastId + finalEventCount,
    handoffColumns: answer.handoffColumns,
    nodeId: nodes.nodeId,
  })
  statements.push(...(await buildChatEventStatements(dependencies, turn)))
  if (journal !== null)
    statements.push(...(await journal.buildFinalStatements(run, buildFinalFrames(run, rows, ending))))
  await writeTurn(dependencies, run, { statements, rows, status })
  journal?.stopRecording(run)
  run.dispatch({ type: 'stored', rows })
}

/** Returns the events that end the turn, with the ids that its log will use. */
function buildFinalFrames(run: TurnRun, rows: readonly MessageRow[], ending: TurnEnding) {
  const doneEvent = { event: 'done', data: { turn_id: run.turnId, status: ending.status } } as const
  return [...buildEndEvents(rows, ending), doneEvent].map(({ event, data }, index) => {
    return { id: run.log.lastId + 1 + index, event, data: JSON.stringify(data) }
  })
}

/** Builds statements that publish chat events, to be stored with the change. */
async function buildChatEventStatements(
  { events }: TurnPerformerDependencies,
  { chat: row, answer, ending }: EndingTurnContext,
): Promise<BatchStatement[]> {
  // Lists the columns, because copying the whole row is slow.
  const { chat_id, workspace_id, agent_id, agent_version, engine_id, engine_version } = row
  const { hand_overs } = answer.handoffColumns ?? row
  const chat = { chat_id, workspace_id, agent_id, agent_version, engine_id, engine_version, hand_overs }
  const turnsEnded = await events.turnsEnded(chat)
  return ending.endsChat ? [...turnsEnded, ...events.ended(chat, 'agent')] : [...turnsEnded]
}

function getMessageLocation({ clock }: TurnPerformerDependencies, run: TurnRun, { position }: Answer): MessageLocation {
  return { chatId: run.chatId, turnId: run.turnId, position, now: clock.now() }
}

function buildMessageRows(
  { makeId }: TurnPerformerDependencies,
  location: MessageLocation,
  { pending }: Answer,
): MessageRow[] {
  return pending.map((message, index) => toRow(location, { ...message, message_id: makeId('message') }, index))
}

interface TurnWrite {
  readonly statements: readonly BatchStatement[]
  readonly rows: readonly MessageRow[]
  /** Status of the turn after this write. */
  readonly status: string
}

async function writeTurn(
  { database, nodes, writes }: TurnPerformerDependencies,
  run: TurnRun,
  { statements, rows, status }: TurnWrite,
): Promise<void> {
  const messageId = rows.at(-1)?.message_id ?? null
  const expectedTurn = { turnId: run.turnId, nodeId: nodes.nodeId, status, messageId }
  try {
    await writes.write(statements, {
      isCommitted: () => isStored(database.read, expectedTurn),
      isUrgent: () => run.stop === 'interrupted',
    })
  } catch (error) {
    const isTakenOver = error instanceof BatchConflictError && error.statement === TURN_STATEMENT
    throw isTakenOver ? new TurnLostError() : error
  }
}
