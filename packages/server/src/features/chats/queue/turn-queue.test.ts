import { createManualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import type { Database } from '../../../kernel/storage/database.ts'
import { createInProcessBus } from '../../../platform/bus/in-process-bus.ts'
import { NodeSignals } from '../failover/node-signals.ts'
import { TurnRun } from '../turn/turn-run.ts'
import { type ChatQueue, decideQueueStep, TurnQueue } from './turn-queue.ts'
import { TurnRegistry } from './turn-registry.ts'

/** Creates a queue on a single node, where turns wait only in memory. */
function createQueue(): TurnQueue {
  const { clock } = createManualClock()
  const bus = createInProcessBus(() => undefined)
  const nodes = { nodeId: 'a', isAlive: async () => true }
  const signals = new NodeSignals({ bus, clock, nodeId: 'a', hasPeers: false })
  const database = {} as Database
  return new TurnQueue({ database, clock, nodes, signals, registry: new TurnRegistry(), adopt: async () => undefined })
}

test('runs work of one chat in order and other chats concurrently, and continues after a failure', async () => {
  const queue = createQueue()
  const log: string[] = []
  const firstWork = Promise.withResolvers<void>()
  const a1 = queue.run('a', async () => {
    await firstWork.promise
    log.push('a1')
    throw new Error('a1 failed')
  })
  const a2 = queue.run('a', async () => {
    log.push('a2')
    return 2
  })
  await queue.run('b', async () => void log.push('b1'))
  expect(log).toEqual(['b1'])
  firstWork.resolve()
  await expect(a1).rejects.toThrow('a1 failed')
  expect(await a2).toBe(2)
  expect(log).toEqual(['b1', 'a1', 'a2'])
})

test('a chat is busy while a turn waits or runs', async () => {
  const queue = createQueue()
  const work = Promise.withResolvers<void>()
  const run = queue.run('a', () => work.promise)
  expect([queue.isBusy('a'), queue.isBusy('b')]).toEqual([true, false])
  work.resolve()
  await run
  expect(queue.isBusy('a')).toBe(false)
})

const enqueue = (turn_id: string, place: number, node_id: string) => ({ turn_id, place, node_id })
const startTurn = (turnId: string, nodeId: string | null, isRunning = true) => ({ turnId, nodeId, isRunning })

/** Node `me` waits with `mine` and runs `running`. Node `gone` is dead. */
const context = {
  turnId: 'mine',
  nodeId: 'me',
  deadNodeIds: new Set(['gone']),
  isLocal: (turnId: string) => turnId === 'mine' || turnId === 'running',
}

test.for<[string, ChatQueue, object]>([
  ['starts in a free chat', { activeTurn: null, waitingTurns: [] }, { type: 'start' }],
  ['starts as first in the queue', { activeTurn: null, waitingTurns: [enqueue('mine', 3, 'me')] }, { type: 'start' }],
  [
    'ignores later turns',
    { activeTurn: null, waitingTurns: [enqueue('mine', 3, 'me'), enqueue('later', 4, 'other')] },
    { type: 'start' },
  ],
  [
    'waits for an earlier turn',
    { activeTurn: null, waitingTurns: [enqueue('earlier', 2, 'other'), enqueue('mine', 3, 'me')] },
    { type: 'wait' },
  ],
  [
    'without a place, waits for every other turn',
    { activeTurn: null, waitingTurns: [enqueue('other', 9, 'other')] },
    { type: 'wait' },
  ],
  [
    'removes turns of dead nodes and turns unknown to this node',
    {
      activeTurn: null,
      waitingTurns: [
        enqueue('x', 1, 'gone'),
        enqueue('y', 2, 'me'),
        enqueue('z', 3, 'other'),
        enqueue('mine', 4, 'me'),
      ],
    },
    { type: 'remove', turnIds: ['x', 'y'] },
  ],
  ['waits for a running turn', { activeTurn: startTurn('t', 'other'), waitingTurns: [] }, { type: 'wait' }],
  ['waits for a local turn', { activeTurn: startTurn('running', 'me'), waitingTurns: [] }, { type: 'wait' }],
  [
    'frees a turn that this node does not run',
    { activeTurn: startTurn('t', 'me'), waitingTurns: [] },
    { type: 'free', turnId: 't' },
  ],
  [
    'frees an ended turn',
    { activeTurn: startTurn('t', 'other', false), waitingTurns: [] },
    { type: 'free', turnId: 't' },
  ],
  [
    'takes over a turn of a dead node',
    { activeTurn: startTurn('t', 'gone'), waitingTurns: [] },
    { type: 'adopt', turnId: 't', nodeId: 'gone' },
  ],
  [
    'takes over a turn without a node',
    { activeTurn: startTurn('t', null), waitingTurns: [] },
    { type: 'adopt', turnId: 't', nodeId: null },
  ],
])('%s', ([, queue, step]) => {
  expect(decideQueueStep(queue, context)).toEqual(step)
})

/** Adds and removes a turn that was stopped before its start, with the given number of characters in its log. */
function addFinishedTurn(registry: TurnRegistry, turnId: string, characters = 1): void {
  const run = new TurnRun(turnId, 'chat')
  registry.add(run)
  run.dispatch({ type: 'left-queue' })
  Object.defineProperty(run.log, 'characterCount', { value: characters })
  registry.remove(run, null)
}

function listRemainingIds(registry: TurnRegistry, ids: string): string {
  return [...ids].filter((id) => registry.find('chat', id) !== null).join('')
}

test('keeps the newest finished turns', () => {
  const registry = new TurnRegistry({ turns: 2, characters: 100 })
  for (const id of 'abc') addFinishedTurn(registry, id)
  expect(listRemainingIds(registry, 'abc')).toBe('bc')
})

test('drops as many turns as a large turn needs, even the large turn', () => {
  const registry = new TurnRegistry({ turns: 10, characters: 100 })
  for (const id of 'abc') addFinishedTurn(registry, id, 30)
  addFinishedTurn(registry, 'd', 60)
  expect(listRemainingIds(registry, 'abcd')).toBe('cd')
  addFinishedTurn(registry, 'e', 101)
  expect(listRemainingIds(registry, 'abcde')).toBe('')
  addFinishedTurn(registry, 'f', 100)
  expect(listRemainingIds(registry, 'abcdef')).toBe('f')
})
