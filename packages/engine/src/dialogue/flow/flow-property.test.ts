import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type ConversationMemory,
  createFlow,
  createPromptNode,
  EMPTY_MEMORY,
  listTexts,
  storeTurn,
} from '../../testing/flow-scenario.ts'
import { createManualClock, findTurnGrammarProblem, selectEvents, startScenario } from '../../testing/index.ts'
import type { DialogueEvent, FlowEngine } from '../conversation.ts'
import { findNodeAt } from './flow-graph.ts'
import { createFlowArbitrary, createSeededModel } from './random-flow-test-kit.ts'

const OTHER = createFlow([createPromptNode('o', 'Talk.')], { id: 'other' })
const ALL_TOOLS = new Set(['plain', 'filled', 'code', 'search', 'search_it', 'text'])

interface TurnRun {
  readonly events: readonly DialogueEvent[]
  readonly hasFailed: boolean
  /** Whether every model call left an event. */
  readonly reportsCosts: boolean
}

/** Runs one turn to its end, or to its nth event. */
async function runTurn(
  flow: FlowEngine,
  memory: ConversationMemory,
  { seed, text, cut }: { seed: number; text: string | null; cut?: number },
): Promise<TurnRun> {
  const time = createManualClock()
  const main = createSeededModel(seed)
  const resolveLater = <Value>(value: Value): Promise<Value> =>
    new Promise((resolve) => {
      time.clock.after(seed % 700, () => resolve(value))
    })
  const agent = { agentId: 'agent_2', agentVersion: 1, agentName: 'O', engine: OTHER, timezone: 'UTC' }
  const answer = { ok: true, bodyText: `{"n":${seed % 10}}`, durationMs: 1 } as const
  const listed = { ok: true, tools: [{ name: 'search.it', description: '', inputSchema: {} }], durationMs: 1 } as const
  let seen = 0
  const scenario = startScenario(
    {
      graph: memory.state?.engine.id === 'other' ? OTHER : flow,
      time,
      models: { main: { model: main.model, requests: [], assertConsumed: () => {} } },
      http: { client: { call: () => resolveLater({ ...answer, status: 200 }) }, calls: [], assertConsumed: () => {} },
      ports: {
        code: { run: () => resolveLater({ ok: true, resultText: '', durationMs: 1 }) },
        mcp: { listTools: async () => listed, call: () => resolveLater(answer) },
        agents: {
          load: async (id) =>
            id === 'gone'
              ? { ok: false, message: 'it is gone.' }
              : { ok: true, agent: { ...agent, fallbackModels: [], fallbackMessage: null } },
        },
      },
      conversation: memory,
      input: text === null ? { type: 'continue' } : { type: 'user-message', content: text },
    },
    () => {
      seen += 1
      if (seen === cut) scenario.controller.abort()
    },
  )
  // Long chains take many microtasks, during which time must not advance.
  for (let round = 0; round < 300 && !scenario.isDone(); round += 1) await time.advance(100)
  expect(scenario.isDone()).toBe(true)
  // The tools of this test ignore cancellation.
  await time.advance(1_000)
  expect(time.countPendingTimers()).toBe(0)
  expect(scenario.countListeners()).toBe(0)
  const hasFailed = main.hasFailed()
  return { events: scenario.events, hasFailed, reportsCosts: !hasFailed && !main.hasFailedSilently() }
}

/** Calls of a history without a result. */
function findOpenCalls({ history }: ConversationMemory) {
  const answered = new Set(history.flatMap((message) => (message.role === 'tool' ? message.toolCallId : [])))
  return history
    .flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []))
    .filter(({ id }) => !answered.has(id))
}

const listLateTools = (flow: FlowEngine): ReadonlySet<string> => {
  const graphs = [flow, ...Object.values(flow.components)]
  const isLate = graphs.some(({ nodes }) => nodes.some((node) => 'wait_for_result' in node && !node.wait_for_result))
  return isLate ? ALL_TOOLS : new Set()
}

/** Checks the invariants of a whole turn. */
function checkTurn(flow: FlowEngine, events: readonly DialogueEvent[], memory: ConversationMemory): void {
  const earlier = { lateTools: new Set([...listLateTools(flow), ...findOpenCalls(memory).map(({ name }) => name)]) }
  expect(findTurnGrammarProblem(events, false, earlier)).toBeNull()
  const end = events.at(-1)
  const last = selectEvents(events, 'node-transition').at(-1)?.state.flow
  if (end?.type === 'turn-end' && last !== undefined && end.state.flow !== undefined) {
    const { nodeId, path, transitions } = end.state.flow
    expect({ nodeId, path, transitions }).toEqual({
      nodeId: last.nodeId,
      path: last.path,
      transitions: last.transitions,
    })
    if (end.outcome === 'completed') expect(end.state.flow.phase).toBe('listening')
  }
  // Each agent of the turn has its own budget.
  const agents = 1 + selectEvents(events, 'action').length
  expect(countCostlyHops(events)).toBeLessThanOrEqual(flow.maxHopsPerTurn * agents)
  for (const { to, state } of selectEvents(events, 'node-transition')) expect(to.path).toEqual(state.flow?.path)
}

/** The first place that a turn entered twice without a change in between; `null` without any. */
function findRepeatedPlace(events: readonly DialogueEvent[]): string | null {
  const entered = new Set<string>()
  for (const event of events) {
    const isCall = event.type === 'usage' || (event.type === 'message-end' && event.toolCalls.length > 0)
    if (isCall || event.type === 'variables-collected' || event.type === 'action') entered.clear()
    if (event.type !== 'node-transition') continue
    const { from, to } = event
    // Leaving a component is not an entry.
    if (from !== null && from.path.length > to.path.length) continue
    const key = JSON.stringify([...to.path, to.nodeId])
    if (entered.has(key)) return key
    entered.add(key)
  }
  return null
}

/** Transitions after the first that followed a model call or a tool. */
function countCostlyHops(events: readonly DialogueEvent[]): number {
  let hops = 0
  let isCostly = false
  let isFirst = true
  for (const event of events) {
    if (event.type === 'usage' || (event.type === 'message-end' && event.toolCalls.length > 0)) isCostly = true
    if (event.type === 'action') isFirst = true
    if (event.type !== 'explanation' || event.explanation.type !== 'flow-decision') continue
    if (event.explanation.destinationNodeId === null) continue
    if (isCostly && !isFirst) hops += 1
    isCostly = false
    isFirst = false
  }
  return hops
}

/** Number of expected messages: one per speaking node, and one where a silent chain stopped. */
function countExpectedMessages(flow: FlowEngine, events: readonly DialogueEvent[], before: ConversationMemory): number {
  // A node that did not speak in the previous turn speaks now, unless the new message leaves it first.
  const left = events.findIndex(({ type }) => type === 'node-transition')
  const wasLeftSilently = left !== -1 && selectEvents(events.slice(0, left), 'message-end').length === 0
  const enteredStates = before.state?.flow?.phase === 'entering' && !wasLeftSilently ? [before.state] : []
  const places = [...enteredStates, ...selectEvents(events, 'node-transition').map(({ state }) => state)]
  const types = places.map((state) => {
    const engine = state.engine.id === 'other' ? OTHER : flow
    return state.flow === undefined ? undefined : findNodeAt(engine, state.flow)?.type
  })
  const isSpeaking = (type: string | undefined): boolean => type === 'conversation' || type === 'subagent'
  const spoken = types.filter(isSpeaking).length
  return isSpeaking(types.at(-1)) ? spoken : spoken + 1
}

async function playConversation(
  flow: FlowEngine,
  seeds: readonly number[],
  check: (turnRun: TurnRun, before: ConversationMemory) => void,
): Promise<void> {
  let memory = EMPTY_MEMORY
  for (const seed of seeds) {
    const text = `message ${seed}`
    const turnRun = await runTurn(flow, memory, { seed, text })
    checkTurn(flow, turnRun.events, memory)
    if (turnRun.reportsCosts) expect(findRepeatedPlace(turnRun.events)).toBeNull()
    check(turnRun, memory)
    if (selectEvents(turnRun.events, 'action').some(({ action }) => action.type === 'end')) return
    memory = storeTurn(memory, text, turnRun.events)
  }
}

const seeds = fc.array(fc.nat(), { minLength: 1, maxLength: 5 })

describe('random graphs', () => {
  test('every user turn gets exactly one reply if no node speaks on the way', async () => {
    await fc.assert(
      fc.asyncProperty(createFlowArbitrary({ speaksWhileWorking: false }), seeds, async (flow, all) => {
        await playConversation(flow, all, ({ events, hasFailed }) => {
          const isEnded = selectEvents(events, 'action').some(({ action }) => action.type === 'end')
          if (!hasFailed && !isEnded) expect(listTexts(events)).toHaveLength(1)
          else expect(listTexts(events).length).toBeLessThanOrEqual(1)
        })
      }),
      { numRuns: 120 },
    )
  }, 60_000)

  test('otherwise every speaking node on the way has one message, in order', async () => {
    await fc.assert(
      fc.asyncProperty(createFlowArbitrary({ speaksWhileWorking: true }), seeds, async (flow, all) => {
        const isQuiet = [flow, ...Object.values(flow.components)].every(({ nodes }) =>
          nodes.every((node) => !('speak_during_execution' in node) || node.speak_during_execution !== true),
        )
        await playConversation(flow, all, ({ events, hasFailed }, before) => {
          // An end or a handover needs no message before it.
          const isOver = selectEvents(events, 'action').some(({ action }) => action.type !== 'send-sms')
          if (!hasFailed && !isOver && isQuiet) {
            expect(listTexts(events)).toHaveLength(countExpectedMessages(flow, events, before))
          }
          if (!hasFailed && !isOver) expect(listTexts(events).length).toBeGreaterThan(0)
        })
      }),
      { numRuns: 120 },
    )
  }, 60_000)

  test('a turn takes the same path from a stored state', async () => {
    await fc.assert(
      fc.asyncProperty(
        createFlowArbitrary({ speaksWhileWorking: true }),
        fc.nat(),
        fc.nat(),
        async (flow, one, two) => {
          const { events } = await runTurn(flow, EMPTY_MEMORY, { seed: one, text: 'hi' })
          const end = events.at(-1)
          const stored = storeTurn(EMPTY_MEMORY, 'hi', events)
          const live = { history: stored.history, state: end?.type === 'turn-end' ? end.state : null }
          expect(stored.state).toEqual(live.state)
          const again = await runTurn(flow, stored, { seed: two, text: 'go on' })
          expect(await runTurn(flow, live, { seed: two, text: 'go on' })).toEqual(again)
        },
      ),
      { numRuns: 60 },
    )
  }, 60_000)

  test('a turn interrupted anywhere stops cleanly and resumes', async () => {
    const cuts = fc.record({ one: fc.nat(), two: fc.nat(), cut: fc.integer({ min: 1, max: 25 }), speaks: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(
        createFlowArbitrary({ speaksWhileWorking: true }),
        cuts,
        async (flow, { one, two, cut, speaks }) => {
          const { events } = await runTurn(flow, EMPTY_MEMORY, { seed: one, text: 'hi', cut })
          if (events.at(-1)?.type === 'turn-end') return
          expect(findTurnGrammarProblem(events, true, { lateTools: ALL_TOOLS })).toBeNull()
          const memory = storeTurn(EMPTY_MEMORY, 'hi', events, true)
          const text = speaks ? 'go on' : null
          const { events: rest } = await runTurn(flow, memory, { seed: two, text })
          expect(findTurnGrammarProblem(rest, true, { lateTools: ALL_TOOLS })).toBeNull()
          expect(rest.at(-1)?.type).toBe('turn-end')
          if (speaks) checkTurn(flow, rest, memory)
        },
      ),
      { numRuns: 120 },
    )
  }, 60_000)
})
