import { AppError, notFound } from '../../../kernel/errors.ts'
import type { ChatRow, MessageRow, TurnRow } from '../../../kernel/tables/chat-tables.ts'
import { findChatById, readMessages, toMessage } from '../chat-store.ts'
import { readFrames } from '../journal/journal-store.ts'
import { readTurnRows } from '../journal/stored-turn.ts'
import type { TurnJournal } from '../journal/turn-journal.ts'
import { type PreparedTurn, type PrepareTurnDependencies, prepareTurn } from '../turn/prepare-turn.ts'
import type { EndedTurn } from '../turn/start-turn.ts'
import { toConversation } from '../turn/turn-context.ts'
import { orLost, TurnDriver, type TurnDriverDependencies } from '../turn/turn-performer.ts'
import type { TurnRun } from '../turn/turn-run.ts'
import { finishStatements } from '../turn/turn-writes.ts'
import { isOutage, isStored, type PatientWrites } from './patient-writes.ts'
import { catchUp, endRetelling, readTold } from './replay.ts'

/** A turn that killed this many nodes is not tried on another. */
const MOST_TAKE_OVERS = 2

export interface ResumeDependencies extends TurnDriverDependencies, PrepareTurnDependencies {
  readonly journal: TurnJournal | null
  readonly writes: PatientWrites
}

export interface ResumedTurn {
  readonly run: TurnRun
  readonly turn: TurnRow
  /** How often it was taken over, this time included. */
  readonly takeOvers: number
}

/** What a dead node left of a turn. */
interface Remains {
  readonly chat: ChatRow
  /** What the turn stored, without the message it answers. */
  readonly rows: readonly MessageRow[]
  /** Words of the message under way that readers have. */
  readonly text: string
}

/**
 * Goes on with a turn of a dead node under the same numbers: what was stored is kept, what was stored and not told is told,
 * and the message that broke off is said anew. A chat that has ended, or a turn that was taken over too often, ends here.
 */
export async function resumeTurn(dependencies: ResumeDependencies, resumed: ResumedTurn): Promise<EndedTurn> {
  const { run, turn, takeOvers } = resumed
  const remains = await gather(dependencies, run, turn)
  const { chat } = remains
  const mayGoOn = takeOvers <= MOST_TAKE_OVERS && chat.status === 'ongoing' && !run.isStopped
  const prepared = mayGoOn ? await prepareIfPossible(dependencies, chat) : null
  if (prepared === null) return await endHere(dependencies, resumed, remains)
  return await goOn(dependencies, resumed, { ...remains, ...prepared })
}

async function gather({ database, journal }: ResumeDependencies, run: TurnRun, turn: TurnRow): Promise<Remains> {
  const { read } = database
  const frames = await readFrames(read, turn.turn_id)
  const chat = await findChatById(read, turn.chat_id)
  if (chat === null) throw notFound('chat', turn.chat_id)
  const rows = await readTurnRows(read, turn)
  run.log.feed(frames)
  journal?.open(run, run.log.length)
  if (frames.length === 0) run.log.append({ event: 'turn.started', data: { turn_id: turn.turn_id } })
  const { events, text } = catchUp(readTold(frames), rows.map(toMessage))
  for (const event of events) run.log.append(event)
  return { chat, rows, text }
}

/** `null` when the agent or its models are not there any more. */
async function prepareIfPossible(dependencies: ResumeDependencies, chat: ChatRow): Promise<PreparedTurn | null> {
  try {
    return await prepareTurn(dependencies, chat)
  } catch (error) {
    if (error instanceof AppError && !isOutage(error)) return null
    throw error
  }
}

async function goOn(
  dependencies: ResumeDependencies,
  { run, turn }: ResumedTurn,
  { chat, rows, text, agent, resolveModel }: Remains & PreparedTurn,
): Promise<EndedTurn> {
  const { database, clock, writes } = dependencies
  const messages = await readMessages(database.read, chat.chat_id)
  const driver = new TurnDriver(dependencies, {
    run,
    writes,
    chat,
    resolveModel,
    begun: Promise.resolve(),
    conversation: toConversation(chat, messages, agent, clock.now()),
    input: { type: 'continue' },
    position: chat.message_count,
    earlier: rows,
    retelling: text === '' ? null : { told: text, said: '' },
    startedAt: turn.started_at,
  })
  const outcome = await driver.drive()
  return { outcome, firstTextMs: driver.firstTextMs }
}

async function endHere(
  { database, clock, nodes, writes }: ResumeDependencies,
  { run }: ResumedTurn,
  { chat, rows, text }: Remains,
): Promise<EndedTurn> {
  const status = run.isStopped ? run.stoppedAs : 'interrupted'
  if (text !== '') for (const event of endRetelling({ told: text, said: '' })) run.log.append(event)
  const statements = finishStatements(database, {
    place: { chatId: chat.chat_id, turnId: run.turnId, position: chat.message_count, now: clock.now() },
    messages: [],
    status,
    error: null,
    usage: [],
    explanation: [],
    firstTextMs: null,
    eventCount: run.log.lastId + 1,
    state: null,
    handedOver: null,
    endsChat: false,
    nodeId: nodes.nodeId,
  })
  const expected = { turnId: run.turnId, nodeId: nodes.nodeId, status, messageId: null }
  try {
    await writes.write(statements, {
      wasWritten: () => isStored(database.read, expected),
      isHopeless: () => run.isStopped && run.stoppedAs === 'interrupted',
    })
  } catch (error) {
    throw orLost(error)
  }
  return { outcome: { status, messages: rows.map(toMessage), failure: null }, firstTextMs: null }
}
