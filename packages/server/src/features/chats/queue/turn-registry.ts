import { createHash } from 'node:crypto'
import type { Database } from '../../../kernel/storage/database.ts'
import { findTurnByIdempotencyHash } from '../chat-store.ts'
import type { TurnFollowers } from '../journal/turn-followers.ts'
import { createKeyReusedError } from '../turn/turn-context.ts'
import type { TurnRun } from '../turn/turn-run.ts'
import type { Turn } from '../turn/turn-state.ts'

/** Number of finished turns whose events are kept in memory. Older turns are read from their messages. */
const MAX_FINISHED = 200
/** Maximum total size of the finished turns' logs. A tool result can be several megabytes. */
const MAX_CHARACTERS = 16 * 1024 * 1024

interface KeyedRun {
  readonly run: TurnRun
  readonly content: string
}

/** Waiting, running and recently ended turns on this node, except turns that another node took over. */
export class TurnRegistry {
  readonly #runs = new Map<string, TurnRun>()
  /** Runs with their input, by idempotency hash. */
  readonly #runsByKey = new Map<string, KeyedRun>()
  /** Finished turns, oldest first. */
  readonly #finished = new Map<string, TurnRun>()
  readonly #limits: { readonly turns: number; readonly characters: number }
  #characters = 0

  constructor(limits = { turns: MAX_FINISHED, characters: MAX_CHARACTERS }) {
    this.#limits = limits
  }

  get count(): number {
    return this.#runs.size
  }

  add(run: TurnRun): void {
    this.#runs.set(run.turnId, run)
  }

  /** Registers an idempotency hash so that a retry with the same key finds the turn. */
  addKey(idempotencyHash: string, run: TurnRun, content: string): void {
    this.#runsByKey.set(idempotencyHash, { run, content })
  }

  /** Removes an ended turn. Clients can still follow a turn that ended normally. */
  remove(run: TurnRun, idempotencyHash: string | null): void {
    // If this node lost the turn and took it over again, the turn has a newer run.
    if (this.#runs.get(run.turnId) === run) this.#runs.delete(run.turnId)
    if (idempotencyHash !== null && this.#runsByKey.get(idempotencyHash)?.run === run)
      this.#runsByKey.delete(idempotencyHash)
    const { phase } = run.state
    if (phase === 'ended' || phase === 'failed') this.#keepFinished(run)
  }

  get(turnId: string): TurnRun | undefined {
    const run = this.#runs.get(turnId)
    return run?.state.phase === 'moved' ? undefined : run
  }

  findByKey(idempotencyHash: string): KeyedRun | undefined {
    const keyedRun = this.#runsByKey.get(idempotencyHash)
    return keyedRun?.run.state.phase === 'moved' ? undefined : keyedRun
  }

  /** Returns a turn that waits, runs or ended recently. */
  find(chatId: string, turnId: string): TurnRun | null {
    const run = this.get(turnId) ?? this.#finished.get(turnId)
    return run?.chatId === chatId ? run : null
  }

  listRuns(): TurnRun[] {
    return [...this.#runs.values()]
  }

  listChatRuns(chatId: string): TurnRun[] {
    return this.listRuns().filter((run) => run.chatId === chatId)
  }

  #keepFinished(run: TurnRun): void {
    this.#finished.set(run.turnId, run)
    this.#characters += run.log.characterCount
    for (const oldestRun of this.#finished.values()) {
      if (this.#finished.size <= this.#limits.turns && this.#characters <= this.#limits.characters) break
      this.#finished.delete(oldestRun.turnId)
      this.#characters -= oldestRun.log.characterCount
    }
  }
}

interface EarlierTurnDependencies {
  readonly database: Database
  readonly registry: TurnRegistry
  readonly followers: TurnFollowers
}

/** Fields that identify a retry. */
export interface KeyedRequest {
  readonly chatId: string
  readonly content: string
  readonly actorId: string
  readonly idempotencyKey: string | null
}

/** Hashes the idempotency key with its actor and chat. Returns null if the request has no key. */
export function hashIdempotencyKey({ actorId, chatId, idempotencyKey }: KeyedRequest): string | null {
  if (idempotencyKey === null) return null
  return createHash('sha256').update(`${actorId}\n${chatId}\n${idempotencyKey}`).digest('hex')
}

export function attachToRun({ run, content }: { run: TurnRun; content: string }, request: KeyedRequest): Turn {
  if (content !== request.content) throw createKeyReusedError()
  return { log: run.log, outcome: run.outcome, replayed: true }
}

/**
 * Finds the turn that an earlier request with the same key started on any node. Returns null if that turn cannot answer this
 * request.
 */
export async function findEarlierTurn(
  { database, registry, followers }: EarlierTurnDependencies,
  request: KeyedRequest,
  idempotencyHash: string,
): Promise<Turn | null> {
  const { read } = database
  const turn = await findTurnByIdempotencyHash(read, request.chatId, idempotencyHash)
  if (turn === null) return null
  const userMessage = await read
    .selectFrom('messages')
    .select('content')
    .where('message_id', '=', turn.user_message_id)
    .executeTakeFirst()
  if (userMessage?.content !== request.content) throw createKeyReusedError()
  const localRun = registry.get(turn.turn_id)
  if (localRun !== undefined) return attachToRun({ run: localRun, content: request.content }, request)
  // A retry answers the message of a failed or interrupted turn again.
  if (turn.status === 'failed' || turn.status === 'interrupted') return null
  if (turn.status === 'running' && !followers.canRunElsewhere(turn)) return null
  return await followers.open(turn)
}
