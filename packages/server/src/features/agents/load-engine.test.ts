import { CreateConversationFlowBody } from '@parley/contract/conversation-flow'
import type { DialogGraph } from '@parley/contract/flow-problems/dialog-graph'
import type { FlowGraph } from '@parley/engine/dialogue/conversation'
import { expect, test } from 'vitest'
import type { Reader } from '../../kernel/storage/database.ts'
import type { Versioned } from '../../kernel/versions/version-store.ts'
import type { AgentDefinition } from './agent-definition.ts'
import type { Engines, VersionedFlow } from './agent-ports.ts'
import { loadEngine } from './load-engine.ts'

const buildConversationNode = (id: string) => ({
  id,
  type: 'conversation',
  instruction: { type: 'prompt', text: `Be ${id}.` },
})
const buildComponentNode = (id: string, component_id: string, component_type?: string) => {
  return { id, type: 'component', component_id, ...(component_type !== undefined && { component_type }) }
}

/** Loads the engine of a flow agent with the given shared components. */
async function load(body: object, shared: Readonly<Record<string, readonly object[]>>) {
  const definition = CreateConversationFlowBody.parse(body) as unknown as VersionedFlow['definition']
  const parseNodes = (nodes: readonly object[]) => CreateConversationFlowBody.parse({ nodes }).nodes
  const graphs = Object.entries(shared).map(([id, nodes]): [string, DialogGraph] => [
    id,
    { start_node_id: 'a', nodes: parseNodes(nodes), tools: [], mcps: [] },
  ])
  const flow = { id: 'conversation_flow_1', version: 3, definition }
  const engines = {
    'conversation-flow': { find: async () => flow, findComponents: async () => new Map(graphs) },
  } as unknown as Engines
  const response_engine = { type: 'conversation-flow', conversation_flow_id: flow.id }
  const agent = { workspaceId: 1, definition: { response_engine } } as unknown as Versioned<AgentDefinition>
  const vault = { decrypt: <Definition extends object>(definition: Definition): Definition => definition }
  const { engine } = await loadEngine({} as Reader, { engines, vault }, { agent, engine: { id: flow.id, version: 3 } })
  if (engine.kind !== 'conversation-flow') throw new Error('no flow')
  return engine
}

const listNodeTargets = ({ nodes }: FlowGraph) =>
  nodes.map((node) => (node.type === 'component' ? [node.component_type, node.component_id] : node.id))

test('distinguishes local and shared components by scope', async () => {
  const engine = await load(
    {
      model_choice: { model: 'offline' },
      nodes: [
        buildComponentNode('a', 'Ask'),
        buildComponentNode('b', 'Ask', 'local'),
        buildComponentNode('c', 's1'),
        buildComponentNode('d', 's1', 'shared'),
        buildComponentNode('e', 'no'),
      ],
      components: [
        { name: 'Ask', start_node_id: 'y', nodes: [buildComponentNode('x', 'tell'), buildConversationNode('y')] },
        {
          name: 'Tell',
          component_id: 'tell',
          nodes: [buildComponentNode('x', 's2')],
          mcps: [{ name: 'M', url: 'https://m.example' }],
        },
      ],
    },
    { s1: [buildComponentNode('a', 's2'), buildConversationNode('b')], s2: [buildConversationNode('a')] },
  )
  expect(Object.keys(engine.components)).toEqual(['Ask', 'tell', 's1', 's2'])
  expect(listNodeTargets(engine)).toEqual([
    ['local', 'Ask'],
    ['local', 'Ask'],
    ['shared', 's1'],
    ['shared', 's1'],
    [undefined, 'no'],
  ])
  const { Ask, tell } = engine.components
  expect(Ask).toMatchObject({ startNodeId: 'y', tools: [], mcps: [] })
  expect(tell).toMatchObject({ startNodeId: 'x', mcps: [{ name: 'M' }] })
  expect([Ask, tell].map((graph) => graph && listNodeTargets(graph))).toEqual([
    [['local', 'tell'], 'y'],
    [['shared', 's2']],
  ])
})

test('never resolves a component to another one or to an inherited property name', async () => {
  const engine = await load(
    {
      model_choice: { model: 'offline' },
      nodes: [
        buildComponentNode('a', 'Ask', 'shared'),
        buildComponentNode('b', 's1', 'local'),
        buildComponentNode('c', 'constructor'),
      ],
      components: [{ name: 'Ask', nodes: [buildConversationNode('x')] }],
    },
    {
      s1: [
        buildComponentNode('a', 'Ask'),
        buildComponentNode('b', 'Ask', 'local'),
        buildComponentNode('c', 's1', 'local'),
      ],
    },
  )
  const unresolvedComponent = [undefined, undefined]
  expect(listNodeTargets(engine).map((one) => (Array.isArray(one) ? one[1] : one))).toEqual([
    undefined,
    undefined,
    'constructor',
  ])
  expect(engine.components['constructor']).toBeUndefined()
  const { s1 } = engine.components
  expect(s1 && listNodeTargets(s1).map((one) => (Array.isArray(one) ? [undefined, one[1]] : one))).toEqual([
    unresolvedComponent,
    unresolvedComponent,
    unresolvedComponent,
  ])
})
