import { createHash } from 'node:crypto'
import type { Database } from '../../../kernel/storage/database.ts'
import { findTurnByKey } from '../chat-store.ts'
import type { TurnFollowers } from '../journal/turn-followers.ts'
import { keyReused } from '../turn/turn-context.ts'
import type { TurnRun } from '../turn/turn-run.ts'
import type { Turn } from '../turn/turn-state.ts'

/** Finished turns that can be followed word by word; older ones are read from their messages. */
const MAX_FINISHED = 200
/** Total size of their logs: tool results may be megabytes each. */
const MAX_CHARACTERS = 16 * 1024 * 1024

interface KeyedRun {
  readonly run: TurnRun
  readonly content: string
}

/** Waiting, running and recently ended turns of this node, except those that another node took over. */
export class TurnRegistry {
  readonly #runs = new Map<string, TurnRun>()
  /** By idempotency hash, with their input. */
  readonly #byKey = new Map<string, KeyedRun>()
  /** Oldest first. */
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

  /** Lets a retry with the same key find the turn. */
  addKey(hash: string, run: TurnRun, content: string): void {
    this.#byKey.set(hash, { run, content })
  }

  /** Removes an ended turn; one that ended normally can still be followed. */
  remove(run: TurnRun, hash: string | null): void {
    // A turn that was lost and taken over again has another run.
    if (this.#runs.get(run.turnId) === run) this.#runs.delete(run.turnId)
    if (hash !== null && this.#byKey.get(hash)?.run === run) this.#byKey.delete(hash)
    const { phase } = run.state
    if (phase === 'ended' || phase === 'failed') this.#keepFinished(run)
  }

  get(turnId: string): TurnRun | undefined {
    const run = this.#runs.get(turnId)
    return run?.state.phase === 'moved' ? undefined : run
  }

  findByKey(hash: string): KeyedRun | undefined {
    const found = this.#byKey.get(hash)
    return found?.run.state.phase === 'moved' ? undefined : found
  }

  /** A turn that waits, runs or ended recently. */
  find(chatId: string, turnId: string): TurnRun | null {
    const run = this.get(turnId) ?? this.#finished.get(turnId)
    return run?.chatId === chatId ? run : null
  }

  all(): TurnRun[] {
    return [...this.#runs.values()]
  }

  ofChat(chatId: string): TurnRun[] {
    return this.all().filter((run) => run.chatId === chatId)
  }

  #keepFinished(run: TurnRun): void {
    this.#finished.set(run.turnId, run)
    this.#characters += run.log.characters
    for (const oldest of this.#finished.values()) {
      if (this.#finished.size <= this.#limits.turns && this.#characters <= this.#limits.characters) break
      this.#finished.delete(oldest.turnId)
      this.#characters -= oldest.log.characters
    }
  }
}

interface EarlierTurnDependencies {
  readonly database: Database
  readonly registry: TurnRegistry
  readonly followers: TurnFollowers
}

/** What identifies a retry. */
export interface KeyedRequest {
  readonly chatId: string
  readonly content: string
  readonly actorId: string
  readonly idempotencyKey: string | null
}

/** Hash of a request key, its actor and its chat. */
export function idempotencyHash({ actorId, chatId, idempotencyKey }: KeyedRequest): string | null {
  if (idempotencyKey === null) return null
  return createHash('sha256').update(`${actorId}\n${chatId}\n${idempotencyKey}`).digest('hex')
}

/** Attaches to a turn of this node. */
export function attach({ run, content }: { run: TurnRun; content: string }, request: KeyedRequest): Turn {
  if (content !== request.content) throw keyReused()
  return { log: run.log, outcome: run.outcome, replayed: true }
}

/**
 * Finds the turn that an earlier request with the same key started on any node; null when it cannot answer this one.
 */
export async function findEarlierTurn(
  { database, registry, followers }: EarlierTurnDependencies,
  request: KeyedRequest,
  hash: string,
): Promise<Turn | null> {
  const { read } = database
  const turn = await findTurnByKey(read, request.chatId, hash)
  if (turn === null) return null
  const input = await read
    .selectFrom('messages')
    .select('content')
    .where('message_id', '=', turn.user_message_id)
    .executeTakeFirst()
  if (input?.content !== request.content) throw keyReused()
  const local = registry.get(turn.turn_id)
  if (local !== undefined) return attach({ run: local, content: request.content }, request)
  // A retry continues the message of a failed or interrupted turn.
  if (turn.status === 'failed' || turn.status === 'interrupted') return null
  if (turn.status === 'running' && !followers.canRunElsewhere(turn)) return null
  return await followers.open(turn)
}
