import type { Conversation, DialogueDependencies, TurnInput } from '@parley/engine/dialogue/conversation'
import { respond } from '@parley/engine/dialogue/respond'
import type { Clock, MakeId, ResolveModel } from '@parley/engine/ports'
import { BatchConflictError, type BatchStatement, type Database } from '../../../kernel/storage/database.ts'
import type { ChatRow, MessageRow } from '../../../tables/chat-tables.ts'
import type { AgentUse } from '../../agents/public.ts'
import type { StoredUsage } from '../chat-cost.ts'
import type { ChatEvents } from '../chat-events.ts'
import { isStored, type RetryingWrites } from '../failover/retrying-writes.ts'
import type { TurnJournal } from '../journal/turn-journal.ts'
import { endEvents } from './advance-turn.ts'
import { type HandOverColumns, readHandOvers } from './hand-overs.ts'
import type { TurnRun } from './turn-run.ts'
import type { AgentSwap, Answer, StoreEffect, TurnEnding } from './turn-state.ts'
import { appendStatements, finishStatements, type MessageLocation, TURN_STATEMENT, toRow } from './turn-writes.ts'

export interface TurnPerformerDependencies {
  readonly database: Database
  /** This process. */
  readonly nodes: { readonly nodeId: string }
  readonly makeId: MakeId
  readonly clock: Clock
  /** What the engine needs in a workspace beside its models: tools are signed with its secret. */
  readonly dialogueFor: (workspaceId: number, resolveModel: ResolveModel) => DialogueDependencies
  readonly events: Pick<ChatEvents, 'turnsEnded' | 'ended' | 'handOver'>
  readonly agents: AgentUse
  /** USD; null when the price is not known. */
  readonly costOf: (model: string, usage: Omit<StoredUsage, 'model' | 'cost'>) => number | null
  readonly writes: RetryingWrites
  /** Null where no other node can show or continue a turn. */
  readonly journal: TurnJournal | null
}

/** A turn that is about to answer. */
export interface PerformedTurn {
  readonly run: TurnRun
  readonly chat: ChatRow
  /** Finds the models that the workspace can use. */
  readonly resolveModel: ResolveModel
  readonly conversation: Conversation
  readonly input: TurnInput
  /** Resolves when the user's message is on record. The model is asked before that; nothing else is stored or shown. */
  readonly started: Promise<void>
}

/** The turn is another node's by now: nothing was written. */
export class TurnLostError extends Error {
  constructor() {
    super('another node took the turn over')
    this.name = 'TurnLostError'
  }
}

/** Runs the engine through one turn and stores what the turn decides. Rejects only when storing fails. */
export async function performTurn(dependencies: TurnPerformerDependencies, turn: PerformedTurn): Promise<void> {
  const { run, chat, conversation, input, started } = turn
  const { clock, dialogueFor } = dependencies
  const dialogue = dialogueFor(chat.workspace_id, turn.resolveModel)
  for await (const event of respond(dialogue, conversation, input, run.signal)) {
    const effects = run.dispatch({ type: 'engine', event, nowMs: clock.now() })
    if (effects.length > 0) await store(dependencies, turn, effects)
  }
  await started
  await store(dependencies, turn, run.dispatch({ type: 'engine-ended' }))
}

/** Ends a turn with what is stored of it, without asking the engine for the rest. */
export async function giveUpTurn(
  dependencies: TurnPerformerDependencies,
  turn: Pick<PerformedTurn, 'run' | 'chat'>,
): Promise<void> {
  const effects = turn.run.dispatch({ type: 'give-up' })
  await store(dependencies, { ...turn, started: Promise.resolve() }, effects)
}

type StoringTurn = Pick<PerformedTurn, 'run' | 'chat' | 'started'>

async function store(
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
      const handOverColumns = await handOver(dependencies, { chat, answer: state.answer }, effect.swap)
      await store(dependencies, turn, run.dispatch({ type: 'handed-over', handOverColumns }))
    } else if (effect.type === 'commit') await commit(dependencies, run, state.answer)
    else if (state.phase === 'storing') await storeEnd(dependencies, { run, chat, ...state })
  }
}

/** The chat is the other agent's from here on, also in what comes after it. */
async function handOver(
  { agents, events, clock }: TurnPerformerDependencies,
  { chat, answer }: { readonly chat: ChatRow; readonly answer: Answer },
  { agent, settings }: AgentSwap,
): Promise<HandOverColumns> {
  const now = clock.now()
  const current = { ...chat, ...answer.handOverColumns }
  const { engine } = answer.state ?? answer.before
  const { agentId, agentVersion, agentName } = agent
  const pin = { agentId, agentVersion, engineId: engine.id, engineVersion: engine.version }
  const { postProcessing } = await agents.load({ ...pin, workspaceId: chat.workspace_id })
  const handOvers = [...readHandOvers(current), { ...pin, agentName, at: now, settings }]
  return { ...events.handOver(current, postProcessing, now), hand_overs: JSON.stringify(handOvers) }
}

async function commit(dependencies: TurnPerformerDependencies, run: TurnRun, answer: Answer): Promise<void> {
  const { database, nodes } = dependencies
  const location = messageLocation(dependencies, run, answer)
  const rows = rowsOf(dependencies, location, answer)
  const progress = {
    messages: rows,
    state: answer.state,
    handOverColumns: answer.handOverColumns,
    nodeId: nodes.nodeId,
  }
  await write(dependencies, run, {
    statements: appendStatements(database, location, progress),
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

/** Stores the end of the turn, and with it what follows from it. */
async function storeEnd(dependencies: TurnPerformerDependencies, turn: EndingTurnContext): Promise<void> {
  const { database, nodes, journal, costOf } = dependencies
  const { run, answer, ending } = turn
  const { status, failure } = ending
  const location = messageLocation(dependencies, run, answer)
  const rows = rowsOf(dependencies, location, answer)
  const finalEventCount = endEvents(rows, ending).length + 1
  const statements = finishStatements(database, {
    ...ending,
    location,
    messages: rows,
    error: failure,
    usage: answer.usage.map((usage) => ({ ...usage, cost: costOf(usage.model, usage) })),
    explanation: answer.decisions,
    firstTextMs: answer.firstTextMs,
    eventCount: run.log.lastId + finalEventCount,
    handOverColumns: answer.handOverColumns,
    nodeId: nodes.nodeId,
  })
  statements.push(...(await chatEventsOf(dependencies, turn)))
  if (journal !== null) statements.push(...(await journal.finalStatements(run, finalFrames(run, rows, ending))))
  await write(dependencies, run, { statements, rows, status })
  journal?.leave(run)
  run.dispatch({ type: 'stored', rows })
}

/** The events that end the turn, as its log is going to number them. */
function finalFrames(run: TurnRun, rows: readonly MessageRow[], ending: TurnEnding) {
  const done = { event: 'done', data: { turn_id: run.turnId, status: ending.status } } as const
  return [...endEvents(rows, ending), done].map(({ event, data }, index) => {
    return { id: run.log.lastId + 1 + index, event, data: JSON.stringify(data) }
  })
}

/** What others are to learn of the chat, stored with what it is about. */
async function chatEventsOf(
  { events }: TurnPerformerDependencies,
  { chat: row, answer, ending }: EndingTurnContext,
): Promise<BatchStatement[]> {
  // Named one by one: a row has many columns, and copying them all costs more than the rest of this function.
  const { chat_id, workspace_id, agent_id, agent_version, engine_id, engine_version } = row
  const { hand_overs } = answer.handOverColumns ?? row
  const chat = { chat_id, workspace_id, agent_id, agent_version, engine_id, engine_version, hand_overs }
  const turnsEnded = await events.turnsEnded(chat)
  return ending.endsChat ? [...turnsEnded, ...events.ended(chat, 'agent')] : [...turnsEnded]
}

function messageLocation({ clock }: TurnPerformerDependencies, run: TurnRun, { position }: Answer): MessageLocation {
  return { chatId: run.chatId, turnId: run.turnId, position, now: clock.now() }
}

function rowsOf({ makeId }: TurnPerformerDependencies, location: MessageLocation, { pending }: Answer): MessageRow[] {
  return pending.map((message, index) => toRow(location, { ...message, message_id: makeId('message') }, index))
}

interface TurnWrite {
  readonly statements: readonly BatchStatement[]
  readonly rows: readonly MessageRow[]
  /** Of the turn once this is written. */
  readonly status: string
}

async function write(
  { database, nodes, writes }: TurnPerformerDependencies,
  run: TurnRun,
  { statements, rows, status }: TurnWrite,
): Promise<void> {
  const messageId = rows.at(-1)?.message_id ?? null
  const expected = { turnId: run.turnId, nodeId: nodes.nodeId, status, messageId }
  try {
    await writes.write(statements, {
      isCommitted: () => isStored(database.read, expected),
      isUrgent: () => run.stop === 'interrupted',
    })
  } catch (error) {
    const isTakenOver = error instanceof BatchConflictError && error.statement === TURN_STATEMENT
    throw isTakenOver ? new TurnLostError() : error
  }
}
