import { describe, expect, test } from 'vitest'
import { ConversationFlow, CreateConversationFlowBody, UpdateConversationFlowBody } from '../conversation-flow.ts'
import { CreateFlowComponentBody } from '../flow-component.ts'
import { nodeFields } from '../flow-node-fields.ts'
import { LocalFlowComponent } from '../local-component.ts'
import { outlineComponent } from './component-outline.ts'
import type { ComponentOutlines } from './dialog-graph.ts'
import { findComponentProblems, findFlowProblems } from './flow-problems.ts'
import { branchNode, componentNode, parseFlow, parseGraph, speakingNode } from './flow-problems-test-kit.ts'
import { findUnusedSwitches } from './unused-settings.ts'

const findWarnings = (nodes: readonly object[], fields: object = {}, shared: ComponentOutlines = new Map()) =>
  findFlowProblems(parseFlow(nodes, fields), { shared }).warnings
const findMatchingWarnings = (words: RegExp, found: ReturnType<typeof findWarnings>) =>
  found.filter(({ message }) => words.test(message))
const createEdge = (id: string): object => ({ destination_node_id: id })
const createCodeNode = (id: string, next: string) => ({
  id,
  type: 'code',
  code: 'return 1',
  else_edge: createEdge(next),
})
/** A component that never waits for the user, and a component that waits. */
const quiet: { readonly name: string; readonly nodes: readonly object[] } = {
  name: 'quiet',
  nodes: [{ id: 'x', type: 'branch', else_edge: {} }],
}
const asking = { name: 'asking', nodes: [{ ...speakingNode('x'), always_edge: {} }] }

describe('loops without the user', () => {
  const loops = (nodes: readonly object[], fields: object = {}, shared?: ComponentOutlines) =>
    findMatchingWarnings(/back to/, findWarnings(nodes, fields, shared))

  test('are named once, with their nodes', () => {
    const nodes = [
      speakingNode('a', 'b'),
      createCodeNode('b', 'c'),
      branchNode('c', 'b', 'a'),
      createCodeNode('d', 'd'),
    ]
    expect(loops(nodes)).toEqual([
      { path: 'nodes[1]', message: expect.stringMatching(/^Nodes "b", "c" lead back to each other without waiting/) },
      { path: 'nodes[3]', message: expect.stringMatching(/^Node "d" leads back to itself without waiting/) },
    ])
  })

  test('include nodes that speak and continue', () => {
    const speaks = (id: string, next: string) => ({
      ...speakingNode(id, 'a'),
      skip_response_edge: createEdge(next),
    })
    expect(loops([speaks('a', 'b'), speaks('b', 'a')])).toHaveLength(1)
    expect(loops([speaks('a', 'b'), { ...speakingNode('b'), always_edge: createEdge('a') }])).toEqual([])
  })

  test('pass through components that do not wait for the user', () => {
    const shared = (component: typeof quiet): ComponentOutlines => {
      return new Map([['s', outlineComponent({ ...parseGraph(component.nodes), start_node_id: 'x' })]])
    }
    const nodes = (fields: object) => [
      { id: 'a', type: 'component', else_edge: createEdge('b'), ...fields },
      branchNode('b', 'a'),
    ]
    const local = (name: string) => nodes({ component_id: name, component_type: 'local' })
    expect(loops(local('quiet'), { components: [quiet] })).toHaveLength(1)
    expect(loops(local('asking'), { components: [asking] })).toEqual([])
    expect(loops(nodes({ component_id: 's' }), {}, shared(quiet))).toHaveLength(1)
    expect(loops(nodes({ component_id: 's' }), {}, shared(asking))).toEqual([])
  })
})

test('a component that waits for the user ends a chain of costly nodes', () => {
  const codeNodes = Array.from({ length: 5 }, (_, index) =>
    createCodeNode(index === 0 ? 'a' : `n${index}`, `n${index + 1}`),
  )
  const following = Array.from({ length: 5 }, (_, index) => createCodeNode(`m${index}`, `m${index + 1}`))
  const chain = (name: string) => [
    ...codeNodes,
    componentNode('n5', name, { else_edge: createEdge('m0') }),
    ...following,
    speakingNode('m5'),
  ]
  expect(findMatchingWarnings(/max_hops/, findWarnings(chain('asking'), { components: [asking] }))).toEqual([])
  expect(findMatchingWarnings(/max_hops/, findWarnings(chain('quiet'), { components: [quiet] }))).toHaveLength(1)
})

test('components without an exit are named unless they end the conversation', () => {
  const stuck = [speakingNode('a', 'b'), speakingNode('b', 'a'), { ...speakingNode('c'), always_edge: {} }]
  const message = expect.stringContaining('The component has no exit')
  expect(findComponentProblems({ ...parseGraph(stuck), id: null }, { shared: new Map() }).warnings).toContainEqual({
    path: 'nodes',
    message,
  })
  const parts = [
    { name: 'stuck', nodes: stuck },
    { name: 'ends', nodes: [speakingNode('a', 'b'), { id: 'b', type: 'end' }] },
    { name: 'leaves', nodes: [speakingNode('a', 'b'), { ...speakingNode('b'), always_edge: {} }] },
  ]
  const warnings = findWarnings(
    [componentNode('a', 'stuck'), componentNode('b', 'ends'), componentNode('c', 'leaves')],
    {
      components: parts,
    },
  )
  expect(findMatchingWarnings(/no exit/, warnings)).toEqual([{ path: 'components[0].nodes', message }])
})

test('nesting beyond the limit is found across local and shared components', () => {
  const outline = (id: string, inner: string | null): [string, ReturnType<typeof outlineComponent>] => {
    return [
      id,
      outlineComponent({ ...parseGraph([inner === null ? speakingNode('a') : componentNode('a', inner)]), tools: [] }),
    ]
  }
  const depth = (count: number): ComponentOutlines =>
    new Map(
      Array.from({ length: count }, (_, index) => outline(`s${index}`, index === count - 1 ? null : `s${index + 1}`)),
    )
  const components = [{ name: 'local', nodes: [componentNode('x', 's0', { else_edge: {} })] }]
  const nested = (count: number) =>
    findMatchingWarnings(
      /nested/,
      findWarnings([speakingNode('a', 'run'), componentNode('run', 'local')], { components }, depth(count)),
    )
  expect(nested(19)).toEqual([])
  expect(nested(20)).toEqual([
    {
      path: 'nodes[1].component_id',
      message: expect.stringContaining('nested 21 levels deep. Levels beyond 20 are skipped'),
    },
  ])
  const problems = findComponentProblems({ ...parseGraph([componentNode('a', 's0')]), id: null }, { shared: depth(20) })
  expect(findMatchingWarnings(/nested/, [...problems.warnings])).toHaveLength(1)
})

describe('node settings', () => {
  /** Expectation for every node field: either it works, or a warning names it. */
  const FIELDS: Readonly<Record<string, 'works' | readonly [object, RegExp]>> = {
    always_edge: 'works',
    skip_response_edge: 'works',
    else_edge: 'works',
    edge: 'works',
    success_edge: 'works',
    failed_edge: 'works',
    reword_on_revisit: 'works',
    finetune_conversation_examples: 'works',
    finetune_transition_examples: 'works',
    interruption_sensitivity: 'works',
    responsiveness: 'works',
    voice_speed: 'works',
    stt_mode: [{ type: 'conversation', stt_mode: 'accurate' }, /"stt_mode" of node "a" has no effect/],
    custom_stt_config: [{ type: 'conversation', custom_stt_config: {} }, /"custom_stt_config" of node "a" has no/],
    allow_dtmf_interruption: 'works',
    reminder_trigger_ms: 'works',
    reminder_max_count: 'works',
    knowledge_base_ids: 'works',
    kb_config: 'works',
    tools: 'works',
    tool_ids: 'works',
    tool_id: 'works',
    tool_type: 'works',
    wait_for_result: 'works',
    speak_during_execution: 'works',
    enable_typing_sound: 'works',
    code: 'works',
    response_variables: 'works',
    timeout_ms: 'works',
    transfer_destination: [{ type: 'transfer_call' }, /of type "transfer_call" has no effect/],
    transfer_option: [{ type: 'transfer_call' }, /of type "transfer_call" has no effect/],
    custom_sip_headers: [{ type: 'transfer_call' }, /of type "transfer_call" has no effect/],
    ignore_e164_validation: [{ type: 'transfer_call' }, /of type "transfer_call" has no effect/],
    agent_id: 'works',
    agent_version: 'works',
    post_call_analysis_setting: 'works',
    webhook_setting: 'works',
    keep_current_voice: [{ type: 'agent_swap', keep_current_voice: true }, /"keep_current_voice" of node "a" has no/],
    keep_current_language: [{ type: 'agent_swap', keep_current_language: true }, /"keep_current_language" of node "a"/],
    delay_ms: [{ type: 'press_digit', delay_ms: 10 }, /of type "press_digit" has no effect/],
    variables: 'works',
    mcp_id: 'works',
    mcp_tool_name: 'works',
    component_id: 'works',
    component_type: 'works',
  }

  test('every field has a decision', () => {
    expect(Object.keys(FIELDS).sort()).toEqual(Object.keys(nodeFields).sort())
  })

  test.each(Object.entries(FIELDS).filter(([, decision]) => decision !== 'works'))('%s', (_name, decision) => {
    const [fields, words] = decision as readonly [object, RegExp]
    expect(findMatchingWarnings(words, findWarnings([{ id: 'a', ...fields }]))).toHaveLength(1)
  })

  test.each(['bridge_transfer', 'cancel_transfer', 'sms'])('nodes of type %s do not work yet', (type) => {
    expect(findMatchingWarnings(/has no effect: /, findWarnings([{ id: 'a', type }]))).toEqual([
      expect.objectContaining({ path: 'nodes[0].type' }),
    ])
  })

  test('high priority is named', () => {
    const model_choice = { type: 'cascading', model: 'offline', high_priority: true }
    expect(findMatchingWarnings(/high_priority/, findWarnings([{ ...speakingNode('a'), model_choice }]))).toHaveLength(
      1,
    )
    expect(
      findMatchingWarnings(
        /high_priority/,
        findWarnings([{ ...speakingNode('a'), model_choice: { ...model_choice, high_priority: false } }]),
      ),
    ).toEqual([])
  })
})

describe('flow settings', () => {
  /** Flow fields of other platforms that are not stored, with their messages. */
  const SWITCHES = {
    tool_call_strict_mode: /"tool_call_strict_mode" has no effect/,
    is_transfer_cf: /"is_transfer_cf" has no effect/,
    flex_mode: /must be false: a flow runs node by node/,
  }
  const PEER_FIELDS = [
    ...['start_speaker', 'start_node_id', 'nodes', 'components', 'tools', 'mcps', 'notes', 'global_prompt'],
    ...['model_choice', 'model_temperature', 'tool_call_strict_mode', 'knowledge_base_ids', 'kb_config'],
    ...['default_dynamic_variables', 'begin_after_user_silence_ms', 'begin_tag_display_position', 'flex_mode'],
    'is_transfer_cf',
  ]

  test('all fields of the other platform are known, and those not stored are named or refused', () => {
    const flowFields = new Set(Object.keys(ConversationFlow.shape))
    expect(PEER_FIELDS.filter((name) => !flowFields.has(name)).sort()).toEqual(Object.keys(SWITCHES).sort())
    for (const body of [CreateConversationFlowBody, UpdateConversationFlowBody]) {
      expect(Object.keys(body.shape)).toEqual(expect.arrayContaining(PEER_FIELDS))
    }
    const on = { tool_call_strict_mode: true, is_transfer_cf: true, model_choice: { high_priority: true } }
    expect(findUnusedSwitches(on).map(({ path }) => path)).toEqual([
      'model_choice.high_priority',
      'tool_call_strict_mode',
      'is_transfer_cf',
    ])
    expect(findUnusedSwitches({ tool_call_strict_mode: false, is_transfer_cf: null, model_choice: null })).toEqual([])
  })

  test.each([
    ['a flow', CreateConversationFlowBody, {}],
    ['a flow update', UpdateConversationFlowBody, {}],
    ['a shared component', CreateFlowComponentBody, {}],
    ['a local component', LocalFlowComponent, { name: 'part' }],
  ])('%s refuses a single prompt for all nodes', (_what, body, fields) => {
    const parse = (flex_mode: boolean | null) => body.safeParse({ nodes: [speakingNode('a')], ...fields, flex_mode })
    expect(parse(true).error?.issues).toMatchObject([
      { path: ['flex_mode'], message: expect.stringMatching(SWITCHES.flex_mode) },
    ])
    expect([parse(false).success, parse(null).success]).toEqual([true, true])
  })
})
