import { createHash } from 'node:crypto'
import type { Clock } from '@parley/engine/ports'
import { ConstraintError } from '../../../kernel/errors.ts'
import { BatchConflictError, type BatchStatement, type Database } from '../../../kernel/storage/database.ts'
import type { Background } from '../../../kernel/work/background.ts'
import type { Nodes } from '../../../kernel/work/nodes.ts'
import type { TurnRow } from '../../../tables/chat-tables.ts'
import { countTakeovers, recordTakeover } from '../journal/journal-store.ts'
import type { TurnRegistry } from '../queue/turn-registry.ts'
import type { TurnStarter } from '../turn/start-turn.ts'
import { TurnRun } from '../turn/turn-run.ts'

/** Turns that are read at once. */
const PAGE_SIZE = 200

export interface TakeoverDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly background: Background
  readonly nodes: Pick<Nodes, 'nodeId' | 'isAlive'>
  readonly registry: TurnRegistry
  readonly starter: Pick<TurnStarter, 'resume'>
}

/** Goes on with the turns of nodes that died. Of all survivors exactly one gets each turn. */
export class Takeover {
  readonly #dependencies: TakeoverDependencies

  constructor(dependencies: TakeoverDependencies) {
    this.#dependencies = dependencies
  }

  /** Takes over what the dead node ran. Resolves when nothing of it is left; the turns themselves go on. */
  async nodeDied(nodeId: string): Promise<void> {
    const { database } = this.#dependencies
    const waiting = database.compile.deleteFrom('waiting_turns').where('node_id', '=', nodeId)
    await database.batch([{ query: waiting.compile() }])
    for (;;) {
      const turns = await database.read
        .selectFrom('turns')
        .selectAll()
        .where('status', '=', 'running')
        .where('node_id', '=', nodeId)
        .limit(PAGE_SIZE)
        .execute()
      if (turns.length === 0) return
      // Each survivor begins elsewhere, so that they share the work and seldom meet.
      for (const turn of turns.sort(byDistance(this.#dependencies.nodes.nodeId))) await this.#claim(turn)
    }
  }

  /** Takes over one turn whose node is dead, if it is still that node's. */
  async adopt({ turn_id, node_id }: Pick<TurnRow, 'turn_id' | 'node_id'>): Promise<void> {
    const { read } = this.#dependencies.database
    const turn = await read.selectFrom('turns').selectAll().where('turn_id', '=', turn_id).executeTakeFirst()
    if (turn?.status === 'running' && turn.node_id === node_id) await this.#claim(turn)
  }

  /** Takes over running turns whose node left without anybody noticing its death. */
  async adoptOrphans(): Promise<void> {
    const { database, nodes } = this.#dependencies
    const owners = await database.read
      .selectFrom('turns')
      .select('node_id')
      .distinct()
      .where('status', '=', 'running')
      .execute()
    for (const { node_id } of owners) {
      if (node_id !== null && !(await nodes.isAlive(node_id))) await this.nodeDied(node_id)
    }
  }

  async #claim(turn: TurnRow): Promise<void> {
    const { database, clock, background, nodes, registry, starter } = this.#dependencies
    const { turn_id, chat_id } = turn
    if (registry.get(turn_id) !== undefined) return
    const run = new TurnRun(turn_id, chat_id)
    // Before the claim is on record: a turn of this node without a run counts as lost.
    registry.add(run)
    try {
      const takeoverCount = (await countTakeovers(database.read, turn_id)) + 1
      const mark = recordTakeover(database, turn_id, takeoverCount, clock.now())
      await database.batch([...claimStatements(database, turn, nodes.nodeId), mark])
      background.run('turn', () => starter.resume(run, { ...turn, node_id: nodes.nodeId }, takeoverCount))
    } catch (error) {
      registry.remove(run, null)
      // Another survivor was faster, or the turn is gone.
      if (!(error instanceof BatchConflictError || error instanceof ConstraintError)) throw error
    }
  }
}

/** Makes a dead node's turn this node's, or conflicts. */
function claimStatements(database: Database, turn: TurnRow, nodeId: string): BatchStatement[] {
  const { compile, capabilities } = database
  const { turn_id, node_id } = turn
  const claim = compile
    .updateTable('turns')
    .set({ node_id: nodeId })
    .where('turn_id', '=', turn_id)
    .where('node_id', node_id === null ? 'is' : '=', node_id)
    .where('status', '=', 'running')
  const lock = compile.selectFrom('turns').select('turn_id').where('turn_id', '=', turn_id).forUpdate()
  // Events that a node which only seems dead records right now come before the claim or not at all.
  const locks = capabilities.rowLocks ? [{ query: lock.compile() }] : []
  return [...locks, { query: claim.compile(), expectRows: 1 }]
}

function byDistance(nodeId: string): (left: TurnRow, right: TurnRow) => number {
  const distance = ({ turn_id }: TurnRow): string => createHash('sha1').update(`${nodeId} ${turn_id}`).digest('hex')
  return (left, right) => (distance(left) < distance(right) ? -1 : 1)
}
