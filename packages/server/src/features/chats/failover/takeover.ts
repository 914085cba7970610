import { createHash } from 'node:crypto'
import type { Clock } from '@parley/engine/ports'
import { ConstraintError } from '../../../kernel/errors.ts'
import { BatchConflictError, type BatchStatement, type Database } from '../../../kernel/storage/database.ts'
import type { Background } from '../../../kernel/work/background.ts'
import type { Nodes } from '../../../kernel/work/nodes.ts'
import type { TurnRow } from '../../../tables/chat-tables.ts'
import { buildTakeoverStatement, countTakeovers } from '../journal/journal-store.ts'
import type { TurnRegistry } from '../queue/turn-registry.ts'
import type { TurnStarter } from '../turn/start-turn.ts'
import { TurnRun } from '../turn/turn-run.ts'

/** Number of turns read at once. */
const PAGE_SIZE = 200

interface TakeoverDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly background: Background
  readonly nodes: Pick<Nodes, 'nodeId' | 'isAlive'>
  readonly registry: TurnRegistry
  readonly starter: Pick<TurnStarter, 'resume'>
}

/** Takes over dead nodes' turns. Each turn continues on exactly one surviving node. */
export class Takeover {
  readonly #dependencies: TakeoverDependencies

  constructor(dependencies: TakeoverDependencies) {
    this.#dependencies = dependencies
  }

  /** Takes over a dead node's turns. Resolves when all turns are claimed; the turns continue in the background. */
  async takeOverTurns(nodeId: string): Promise<void> {
    const { database } = this.#dependencies
    const deletion = database.queryBuilder.deleteFrom('waiting_turns').where('node_id', '=', nodeId)
    await database.batch([{ query: deletion.compile() }])
    for (;;) {
      const turns = await database.read
        .selectFrom('turns')
        .selectAll()
        .where('status', '=', 'running')
        .where('node_id', '=', nodeId)
        .limit(PAGE_SIZE)
        .execute()
      if (turns.length === 0) return
      // Each surviving node starts at a different turn so that nodes rarely conflict.
      for (const turn of turns.sort(createRankComparator(this.#dependencies.nodes.nodeId))) await this.#claim(turn)
    }
  }

  /** Takes over one turn if its dead node still owns it. */
  async adopt({ turn_id, node_id }: Pick<TurnRow, 'turn_id' | 'node_id'>): Promise<void> {
    const { read } = this.#dependencies.database
    const turn = await read.selectFrom('turns').selectAll().where('turn_id', '=', turn_id).executeTakeFirst()
    if (turn?.status === 'running' && turn.node_id === node_id) await this.#claim(turn)
  }

  /** Takes over running turns whose nodes died without notification. */
  async adoptOrphans(): Promise<void> {
    const { database, nodes } = this.#dependencies
    const owners = await database.read
      .selectFrom('turns')
      .select('node_id')
      .distinct()
      .where('status', '=', 'running')
      .execute()
    for (const { node_id } of owners) {
      if (node_id !== null && !(await nodes.isAlive(node_id))) await this.takeOverTurns(node_id)
    }
  }

  async #claim(turn: TurnRow): Promise<void> {
    const { database, clock, background, nodes, registry, starter } = this.#dependencies
    const { turn_id, chat_id } = turn
    if (registry.get(turn_id) !== undefined) return
    const run = new TurnRun(turn_id, chat_id)
    // The run is added before the claim is stored. Otherwise, this node would treat the turn as lost.
    registry.add(run)
    try {
      const takeoverCount = (await countTakeovers(database.read, turn_id)) + 1
      const takeoverStatement = buildTakeoverStatement(database, turn_id, takeoverCount, clock.now())
      await database.batch([...buildClaimStatements(database, turn, nodes.nodeId), takeoverStatement])
      background.run('turn', () => starter.resume(run, { ...turn, node_id: nodes.nodeId }, takeoverCount))
    } catch (error) {
      registry.remove(run, null)
      // Another node claimed the turn first, or the turn was deleted.
      if (!(error instanceof BatchConflictError || error instanceof ConstraintError)) throw error
    }
  }
}

/** Builds statements that assign a dead node's turn to this node. They conflict if another node has claimed the turn. */
function buildClaimStatements(database: Database, turn: TurnRow, nodeId: string): BatchStatement[] {
  const { queryBuilder, capabilities } = database
  const { turn_id, node_id } = turn
  const claimQuery = queryBuilder
    .updateTable('turns')
    .set({ node_id: nodeId })
    .where('turn_id', '=', turn_id)
    .where('node_id', node_id === null ? 'is' : '=', node_id)
    .where('status', '=', 'running')
  const lockQuery = queryBuilder.selectFrom('turns').select('turn_id').where('turn_id', '=', turn_id).forUpdate()
  // The lock ensures that events from a node that only appears dead are stored before the claim or rejected.
  const lockStatements = capabilities.rowLocks ? [{ query: lockQuery.compile() }] : []
  return [...lockStatements, { query: claimQuery.compile(), expectRows: 1 }]
}

function createRankComparator(nodeId: string): (left: TurnRow, right: TurnRow) => number {
  const getRank = ({ turn_id }: TurnRow): string => createHash('sha1').update(`${nodeId} ${turn_id}`).digest('hex')
  return (left, right) => (getRank(left) < getRank(right) ? -1 : 1)
}
