import { AppError, notFound } from '../../../kernel/errors.ts'
import type { ChatRow, MessageRow, TurnRow } from '../../../tables/chat-tables.ts'
import { findChatById, readHistory, toMessage } from '../chat-store.ts'
import { readFrames, readTurnMessages } from '../journal/journal-store.ts'
import { MAX_UNRECORDED_EVENTS } from '../journal/turn-journal.ts'
import { createEmptyAnswer } from '../turn/answer.ts'
import { type PreparedTurn, type PrepareTurnDependencies, prepareTurn, toConversation } from '../turn/turn-context.ts'
import { interruptTurn, performTurn, type TurnPerformerDependencies } from '../turn/turn-performer.ts'
import type { TurnRun } from '../turn/turn-run.ts'
import type { Answer } from '../turn/turn-state.ts'
import { buildMissedEvents, createRestartEvents, parsePublishedEvents } from './replay.ts'
import { isOutage } from './retrying-writes.ts'

/** Maximum number of takeovers per turn. */
const MAX_TAKEOVERS = 2

interface ResumeDependencies extends TurnPerformerDependencies, PrepareTurnDependencies {}

interface ResumedTurn {
  readonly run: TurnRun
  readonly turn: TurnRow
  /** Number of takeovers, including this one. */
  readonly takeoverCount: number
}

/** A turn's stored progress at the death of its node. */
interface StoredTurnProgress {
  readonly chat: ChatRow
  /** Stored messages of the turn, without the user message. */
  readonly rows: readonly MessageRow[]
  /** Recorded text of the current message. */
  readonly text: string
}

/**
 * Continues a dead node's turn and regenerates its interrupted message. Ends the turn if the chat has ended or the turn
 * was taken over too often.
 */
export async function resumeTurn(dependencies: ResumeDependencies, resumed: ResumedTurn): Promise<void> {
  const { run, turn, takeoverCount } = resumed
  const { database, clock } = dependencies
  const { chat, rows, text } = await restoreTurn(dependencies, run, turn)
  const canContinue = takeoverCount <= MAX_TAKEOVERS && chat.status === 'ongoing' && run.stopReason === null
  const prepared = canContinue ? await tryPrepareTurn(dependencies, chat) : null
  const replay = text === '' ? null : { published: text, repeated: '' }
  const dispatchResume = (baseline: Answer['baseline']): void => {
    const start = { baseline, startedAtMs: turn.started_at, position: chat.message_count }
    run.dispatch({ type: 'resume', answer: { ...createEmptyAnswer(start), storedRows: rows, replay } })
  }
  if (prepared === null) {
    const kind = chat.engine_kind as Answer['baseline']['engine']['kind']
    dispatchResume({ engine: { kind, id: chat.engine_id, version: chat.engine_version }, state: null })
    return await interruptTurn(dependencies, { run, chat })
  }
  const { agent, resolveModel } = prepared
  const history = await readHistory(database.read, chat.chat_id)
  const context = { now: clock.now(), isContinuation: true }
  const conversation = toConversation(chat, { history, agent }, context)
  dispatchResume(conversation)
  const input = { type: 'continue' } as const
  await performTurn(dependencies, { run, chat, resolveModel, conversation, input, startWrite: Promise.resolve() })
}

async function restoreTurn(
  { database, journal }: ResumeDependencies,
  run: TurnRun,
  turn: TurnRow,
): Promise<StoredTurnProgress> {
  const { read } = database
  const frames = await readFrames(read, turn.turn_id)
  const chat = await findChatById(read, turn.chat_id)
  if (chat === null) throw notFound('chat', turn.chat_id)
  const rows = await readTurnMessages(read, turn)
  run.log.appendFrames(frames)
  journal?.open(run, run.log.length)
  if (frames.length === 0) run.log.append({ event: 'turn.started', data: { turn_id: turn.turn_id } })
  // The dead node may have published unrecorded events under the next ids.
  run.log.skipIds(MAX_UNRECORDED_EVENTS)
  const published = parsePublishedEvents(frames)
  for (const event of createRestartEvents(published.text)) run.log.append(event)
  const { events, text } = buildMissedEvents(published, rows.map(toMessage))
  for (const event of events) run.log.append(event)
  return { chat, rows, text }
}

/** Prepares the turn, or returns null if the agent or its models no longer exist. */
async function tryPrepareTurn(dependencies: ResumeDependencies, chat: ChatRow): Promise<PreparedTurn | null> {
  try {
    return await prepareTurn(dependencies, chat)
  } catch (error) {
    if (error instanceof AppError && !isOutage(error)) return null
    throw error
  }
}
