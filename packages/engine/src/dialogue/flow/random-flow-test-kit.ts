import { FlowNode } from '@parley/contract/flow-node'
import { findGraphErrors } from '@parley/contract/flow-problems/graph-errors'
import type { FlowTool } from '@parley/contract/flow-tool'
import fc from 'fast-check'
import type { JsonObject, LanguageModel, ModelEvent, ModelRequest } from '../../ports.ts'
import { createFlow, createGraph } from '../../testing/flow-scenario.ts'
import type { FlowEngine, FlowGraph } from '../conversation.ts'

/** Options of random graphs. */
export interface RandomFlowOptions {
  /** Includes skip-response edges and execution messages. */
  readonly speaksWhileWorking: boolean
}

const parameters = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
const base = { url: 'https://example.com', response_variables: { n: 'n' } }
const TOOLS: readonly FlowTool[] = [
  { type: 'custom', name: 'plain', ...base },
  { type: 'custom', name: 'filled', ...base, parameters },
  { type: 'code', name: 'code', code: 'return 1' },
  { type: 'mcp', name: 'search', mcp_id: 'm', input_schema: parameters },
  { type: 'send_sms', name: 'text', sms_content: { type: 'inferred', prompt: 'x' } },
  { type: 'press_digit', name: 'press' },
  { type: 'agent_swap', name: 'swap', agent_id: 'agent_2' },
  { type: 'extract_dynamic_variable', name: 'extract', variables: [{ type: 'number', name: 'n', description: '' }] },
  { type: 'end_call', name: 'hang_up' },
]
const MCPS = [
  { mcp_id: 'm', name: 'M', url: 'https://example.com', require_approval: 'always' as const },
  { mcp_id: 'free', name: 'Free', url: 'https://example.com' },
]

const TYPES = FlowNode.options.map(({ shape }) => shape.type.value)
const EQUATIONS = ['{{n}} exists', '{{n}} not_exist', '{{n}} > 3', '{{n}} == {{x}}', '{{n}} not_contains 5']

/** A flow of at most twelve nodes of all types, in its main graph and in acyclic components. */
export function createFlowArbitrary(options: RandomFlowOptions): fc.Arbitrary<FlowEngine> {
  const inner = createGraphArbitrary(options, { sizes: [1, 3], components: ['c2'], canLeave: true })
  const innermost = createGraphArbitrary(options, { sizes: [1, 3], components: [], canLeave: true })
  const main = createGraphArbitrary(options, { sizes: [1, 6], components: ['c1', 'c2', 'gone'], canLeave: false })
  return fc
    .record({
      main,
      inner,
      innermost,
      startSpeaker: fc.constantFrom('agent', 'user'),
      maxHopsPerTurn: fc.integer({ min: 1, max: 10 }),
    })
    .map(({ main: graph, inner: c1, innermost: c2, ...settings }) => {
      return createFlow([], { ...graph, ...settings, components: { c1, c2 } })
    })
}

interface GraphOptions {
  readonly sizes: readonly [number, number]
  readonly components: readonly string[]
  readonly canLeave: boolean
}

function createGraphArbitrary(
  options: RandomFlowOptions,
  { sizes, components, canLeave }: GraphOptions,
): fc.Arbitrary<FlowGraph> {
  return fc
    .integer({ min: sizes[0], max: sizes[1] })
    .chain((size) => {
      const ids = Array.from({ length: size }, (_, index) => `n${index}`)
      return fc.tuple(...ids.map((id) => createNodeArbitrary(id, { ids, components, canLeave, ...options })))
    })
    .filter((nodes) => findGraphErrors({ nodes, start_node_id: nodes[0]?.id ?? '' }).length === 0)
    .map((nodes) => createGraph(nodes, { tools: TOOLS, mcps: MCPS }))
}

type NodeOptions = Omit<GraphOptions, 'sizes'> & RandomFlowOptions & { readonly ids: readonly string[] }

function createNodeArbitrary(id: string, options: NodeOptions): fc.Arbitrary<FlowNode> {
  const { ids, components, canLeave, speaksWhileWorking } = options
  const to = fc.option(fc.constantFrom(...ids), { freq: canLeave ? 3 : 20, nil: undefined })
  const destinationField = (destination: string | undefined) =>
    destination === undefined ? {} : { destination_node_id: destination }
  const condition = fc.oneof(
    fc.constantFrom('The user asks.', 'else', 'x').map((prompt) => ({ type: 'prompt', prompt }) as const),
    fc.constantFrom(...EQUATIONS).map((prompt) => ({ type: 'equation', prompt }) as const),
  )
  const edges = fc.array(fc.record({ transition_condition: condition, to }), { maxLength: 3 }).map((edgeFields) =>
    edgeFields.map(({ transition_condition, to: end }, index) => ({
      id: `e${index}`,
      transition_condition,
      ...destinationField(end),
    })),
  )
  const createEdgeArbitrary = (name: string, outOfTenNodes: number) =>
    createOptionalArbitrary(
      outOfTenNodes,
      to.map((end) => ({ id: name, ...destinationField(end) })),
    )
  const goBack = fc.array(fc.record({ transition_condition: condition }), { maxLength: 1 })
  const coolDown = fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined })
  const global = fc
    .record({ go_back_conditions: goBack, cool_down: coolDown })
    .map(({ go_back_conditions, cool_down }) => ({ condition: 'The user wants it.', go_back_conditions, cool_down }))
  const instruction = fc.constantFrom(
    { type: 'static_text', text: 'Said {{n}}' },
    { type: 'prompt', text: 'Talk.' },
    { type: 'static_text', text: ' ' },
  )
  const absent = fc.constant(undefined)
  return fc
    .record({
      id: fc.constant(id),
      type: fc.constantFrom(...TYPES),
      instruction: fc.option(instruction, { nil: undefined, freq: 8 }),
      edges,
      else_edge: createEdgeArbitrary('else', 5),
      always_edge: createEdgeArbitrary('always', 2),
      skip_response_edge: speaksWhileWorking ? createEdgeArbitrary('skip', 5) : absent,
      speak_during_execution: speaksWhileWorking ? fc.boolean() : absent,
      success_edge: createEdgeArbitrary('success', 7),
      failed_edge: createEdgeArbitrary('failed', 7),
      edge: createEdgeArbitrary('edge', 7),
      global_node_setting: createOptionalArbitrary(3, global),
      tool_id: fc.constantFrom('gone', ...TOOLS.map(({ name }) => name)),
      tool_ids: fc.subarray(TOOLS.map(({ name }) => name)),
      wait_for_result: fc.boolean(),
      code: fc.constantFrom(undefined, 'return 1'),
      agent_id: fc.constantFrom(undefined, 'agent_2', 'gone'),
      variables: fc.constant([{ type: 'number', name: 'n', description: 'A number.', required: true }]),
      mcp_id: fc.constantFrom('m', 'free', 'gone'),
      mcp_tool_name: fc.constant('search.it'),
      component_id: components.length === 0 ? absent : fc.constantFrom(...components),
    })
    .map((fields) => FlowNode.parse(JSON.parse(JSON.stringify({ ...fields, else_edge: getElseEdge(fields) }))))
}

function createOptionalArbitrary<Value>(outOfTen: number, value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.oneof({ weight: outOfTen, arbitrary: value }, { weight: 10 - outOfTen, arbitrary: fc.constant(undefined) })
}

/** Returns the else edge, which every branch needs. */
function getElseEdge({ type, else_edge, id }: { type: string; else_edge: object | undefined; id: string }) {
  return type === 'branch'
    ? (else_edge ?? { id: 'else', destination_node_id: id === 'n0' ? undefined : 'n0' })
    : else_edge
}

/** A model whose answers are determined by a seed and the order of requests. */
export interface SeededModel {
  readonly model: LanguageModel
  /** Whether a spoken answer failed. */
  hasFailed(): boolean
  /** Whether a silent request failed, which leaves no event. */
  hasFailedSilently(): boolean
}

export function createSeededModel(seed: number): SeededModel {
  let state = seed >>> 0
  const nextInteger = (limit: number): number => {
    // A linear congruential generator (constants of Numerical Recipes); only its repeatability matters.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  let failed = false
  let failedSilently = false
  const model: LanguageModel = {
    name: 'main',
    async *stream(request) {
      const answer = buildAnswer(request, nextInteger)
      if (answer.at(-1)?.type === 'error') {
        if (request.toolChoice === 'required') failedSilently = true
        else failed = true
      }
      yield* answer
    },
  }
  return { model, hasFailed: () => failed, hasFailedSilently: () => failedSilently }
}

const STOP: ModelEvent = {
  type: 'finish',
  reason: 'stop',
  usage: { inputTokens: 2, outputTokens: 1, cachedInputTokens: 0 },
}
const FAILURE: ModelEvent = {
  type: 'error',
  failure: { kind: 'rejected', message: 'The model refused.', retryable: false },
}

function buildAnswer({ tools, toolChoice }: ModelRequest, nextInteger: (below: number) => number): ModelEvent[] {
  const roll = nextInteger(20)
  if (roll === 0) return [FAILURE]
  const words: ModelEvent = { type: 'text-delta', text: `Words ${nextInteger(100)}.` }
  if (roll === 1 && toolChoice === 'auto') return [words, FAILURE]
  const tool = tools[nextInteger(Math.max(1, tools.length))]
  const wantsTool = toolChoice === 'required' ? roll > 1 : toolChoice === 'auto' && roll < 8
  if (tool === undefined || !wantsTool) return [words, STOP]
  const name = roll === 2 ? 'nothing' : tool.name
  return [
    { type: 'tool-call', call: { id: 'call', name, argumentsText: buildArguments(tool.parameters, nextInteger) } },
    STOP,
  ]
}

function buildArguments({ properties = {} }: JsonObject, nextInteger: (below: number) => number): string {
  if (nextInteger(12) === 0) return '{'
  const entries = Object.entries(properties as Record<string, JsonObject>).map(([name, schema]) => {
    const choices = (schema.enum ?? []) as readonly string[]
    if (choices.length > 0) return [name, nextInteger(10) === 0 ? 'nonsense' : choices[nextInteger(choices.length)]]
    return [name, schema.type === 'number' ? nextInteger(9) : `text ${nextInteger(9)}`]
  })
  return JSON.stringify(Object.fromEntries(entries.filter(() => nextInteger(10) > 0)))
}
