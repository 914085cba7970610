import type { Conversation, DialogueDependencies, TurnInput } from '@parley/engine/dialogue/conversation'
import { respond } from '@parley/engine/dialogue/respond'
import type { Clock, MakeId, ResolveModel } from '@parley/engine/ports'
import { BatchConflictError, type BatchStatement, type Database } from '../../../kernel/storage/database.ts'
import type { ChatRow, MessageRow } from '../../../tables/chat-tables.ts'
import type { AgentResolver } from '../../agents/public.ts'
import type { StoredUsage } from '../chat-cost.ts'
import type { ChatEvents } from '../chat-events.ts'
import { type HandoffColumns, readHandoffs } from '../chat-events.ts'
import { isTurnStored, type TurnWriter } from '../failover/retrying-writes.ts'
import type { TurnJournal } from '../journal/turn-journal.ts'
import { buildEndEvents } from './advance-turn.ts'
import type { TurnRun } from './turn-run.ts'
import type { AgentSwap, Answer, StoreEffect, TurnResult } from './turn-state.ts'
import {
  buildAppendStatements,
  buildFinishStatements,
  type MessageLocation,
  TURN_STATEMENT_INDEX,
  toMessageRow,
} from './turn-writes.ts'

export interface TurnPerformerDependencies {
  readonly database: Database
  readonly nodes: { readonly nodeId: string }
  readonly makeId: MakeId
  readonly clock: Clock
  /** Returns the engine's dependencies in a workspace. Tool requests are signed with the workspace's secret. */
  readonly createDialogueDependencies: (workspaceId: number, resolveModel: ResolveModel) => DialogueDependencies
  readonly events: Pick<ChatEvents, 'onTurnsEnded' | 'onEnded' | 'getHandoffColumns'>
  readonly agents: AgentResolver
  /** Returns the cost in USD, or null if the price is unknown. */
  readonly computeCost: (model: string, usage: Omit<StoredUsage, 'model' | 'cost'>) => number | null
  readonly writer: TurnWriter
  /** Null if no other node can serve or continue a turn. */
  readonly journal: TurnJournal | null
}

/** A turn and its input for the engine. */
interface PerformedTurn {
  readonly run: TurnRun
  readonly chat: ChatRow
  /** Resolves the models that the workspace can use. */
  readonly resolveModel: ResolveModel
  readonly conversation: Conversation
  readonly input: TurnInput
  /** Resolves when the user's message is stored. Nothing else is stored or published until then. */
  readonly startWrite: Promise<void>
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
  const { run, chat, conversation, input, startWrite } = turn
  const { clock, createDialogueDependencies } = dependencies
  const dialogue = createDialogueDependencies(chat.workspace_id, turn.resolveModel)
  for await (const event of respond(dialogue, conversation, input, run.signal)) {
    const effects = run.dispatch({ type: 'engine', event, nowMs: clock.now() })
    if (effects.length > 0) await performStoreEffects(dependencies, turn, effects)
  }
  await startWrite
  await performStoreEffects(dependencies, turn, run.dispatch({ type: 'engine-ended' }))
}

/** Ends a turn with the messages that are already stored. */
export async function interruptTurn(
  dependencies: TurnPerformerDependencies,
  turn: Pick<PerformedTurn, 'run' | 'chat'>,
): Promise<void> {
  const effects = turn.run.dispatch({ type: 'interrupt' })
  await performStoreEffects(dependencies, { ...turn, startWrite: Promise.resolve() }, effects)
}

type StoringTurn = Pick<PerformedTurn, 'run' | 'chat' | 'startWrite'>

async function performStoreEffects(
  dependencies: TurnPerformerDependencies,
  turn: StoringTurn,
  effects: readonly StoreEffect[],
): Promise<void> {
  const { run, chat } = turn
  for (const effect of effects) {
    await turn.startWrite
    const { state } = run
    if (state.phase !== 'answering' && state.phase !== 'storing') return
    if (effect.type === 'hand-over') {
      const handoffColumns = await buildHandoffColumns(dependencies, { chat, answer: state.answer }, effect.swap)
      await performStoreEffects(dependencies, turn, run.dispatch({ type: 'handed-over', handoffColumns }))
    } else if (effect.type === 'commit') await commitMessages(dependencies, run, state.answer)
    else if (state.phase === 'storing') await storeTurnEnd(dependencies, { run, chat, ...state })
  }
}

/** Returns the columns that hand off the chat to another agent, including its post-processing. */
async function buildHandoffColumns(
  { agents, events, clock }: TurnPerformerDependencies,
  { chat, answer }: { readonly chat: ChatRow; readonly answer: Answer },
  { agent, settings }: AgentSwap,
): Promise<HandoffColumns> {
  const now = clock.now()
  const currentChat = { ...chat, ...answer.handoffColumns }
  const { engine } = answer.state ?? answer.baseline
  const { agentId, agentVersion, agentName } = agent
  const pin = { agentId, agentVersion, engineId: engine.id, engineVersion: engine.version }
  const { postProcessing } = await agents.load({ ...pin, workspaceId: chat.workspace_id })
  const handoffs = [...readHandoffs(currentChat), { ...pin, agentName, at: now, settings }]
  return { ...events.getHandoffColumns(currentChat, postProcessing, now), hand_overs: JSON.stringify(handoffs) }
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
  readonly result: TurnResult
}

/** Stores the turn's end together with its chat events. */
async function storeTurnEnd(dependencies: TurnPerformerDependencies, turn: EndingTurnContext): Promise<void> {
  const { database, nodes, journal, computeCost } = dependencies
  const { run, answer, result } = turn
  const { status, failure } = result
  const location = getMessageLocation(dependencies, run, answer)
  const rows = buildMessageRows(dependencies, location, answer)
  const finalEventCount = buildEndEvents(rows, result).length + 1
  const statements = buildFinishStatements(database, {
    ...result,
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
    statements.push(...(await journal.buildFinalStatements(run, buildFinalFrames(run, rows, result))))
  await writeTurn(dependencies, run, { statements, rows, status })
  journal?.stopRecording(run)
  run.dispatch({ type: 'stored', rows })
}

/** Returns the events that end the turn, with the ids that its log will use. */
function buildFinalFrames(run: TurnRun, rows: readonly MessageRow[], result: TurnResult) {
  const doneEvent = { event: 'done', data: { turn_id: run.turnId, status: result.status } } as const
  return [...buildEndEvents(rows, result), doneEvent].map(({ event, data }, index) => {
    return { id: run.log.lastId + 1 + index, event, data: JSON.stringify(data) }
  })
}

/** Builds the statements that publish chat events. Commit them together with the change. */
async function buildChatEventStatements(
  { events }: TurnPerformerDependencies,
  { chat: row, answer, result }: EndingTurnContext,
): Promise<BatchStatement[]> {
  // Lists the columns because copying the whole row is slow.
  const { chat_id, workspace_id, agent_id, agent_version, engine_id, engine_version } = row
  const { hand_overs } = answer.handoffColumns ?? row
  const chat = { chat_id, workspace_id, agent_id, agent_version, engine_id, engine_version, hand_overs }
  const turnsEnded = await events.onTurnsEnded(chat)
  return result.endsChat ? [...turnsEnded, ...events.onEnded(chat, 'agent')] : [...turnsEnded]
}

function getMessageLocation({ clock }: TurnPerformerDependencies, run: TurnRun, { position }: Answer): MessageLocation {
  return { chatId: run.chatId, turnId: run.turnId, position, now: clock.now() }
}

function buildMessageRows(
  { makeId }: TurnPerformerDependencies,
  location: MessageLocation,
  { pendingMessages }: Answer,
): MessageRow[] {
  return pendingMessages.map((message, index) =>
    toMessageRow(location, { ...message, message_id: makeId('message') }, index),
  )
}

interface TurnWrite {
  readonly statements: readonly BatchStatement[]
  readonly rows: readonly MessageRow[]
  /** Status of the turn after this write. */
  readonly status: string
}

async function writeTurn(
  { database, nodes, writer }: TurnPerformerDependencies,
  run: TurnRun,
  { statements, rows, status }: TurnWrite,
): Promise<void> {
  const messageId = rows.at(-1)?.message_id ?? null
  const expectedTurn = { turnId: run.turnId, nodeId: nodes.nodeId, status, messageId }
  try {
    await writer.write(statements, {
      isCommitted: () => isTurnStored(database.read, expectedTurn),
      isUrgent: () => run.stopReason === 'interrupted',
    })
  } catch (error) {
    const isTakenOver = error instanceof BatchConflictError && error.statement === TURN_STATEMENT_INDEX
    throw isTakenOver ? new TurnLostError() : error
  }
}
