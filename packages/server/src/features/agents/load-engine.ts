import { componentNamedBy, type DialogGraph, localComponentIds } from '@parley/contract/flow-problems/dialog-graph'
import { localGraph } from '@parley/contract/flow-problems/flow-problems'
import { localComponentId } from '@parley/contract/local-component'
import type { FlowEngine, FlowGraph, LlmEngine, ResponseEngine } from '@parley/engine/dialogue/conversation'
import type { Reader } from '../../kernel/database.ts'
import { notFound } from '../../kernel/errors.ts'
import type { EngineReference, Versioned } from '../../kernel/version-store.ts'
import { type AgentDefinition, storedEngineKindOf } from './agent-definition.ts'
import type { Engines, SourcedFlow, SourcedLlm } from './agent-ports.ts'
import { ENGINE_WORDS } from './engine-check.ts'

/** Which version of its engine an agent answers with; a version of `null` means the newest. */
type Reference = Pick<EngineReference, 'id' | 'version'> | null

/** The engine of an agent's version as conversations run it. Throws `not_found` when it does not exist any more. */
export async function loadEngine(
  reader: Reader,
  engines: Engines,
  { agent, engine }: { readonly agent: Versioned<AgentDefinition>; readonly engine: Reference },
): Promise<ResponseEngine> {
  const { response_engine } = agent.definition
  if ('llm_websocket_url' in response_engine) {
    return {
      kind: 'custom-llm',
      id: null,
      version: null,
      url: response_engine.llm_websocket_url,
      defaultVariables: {},
    }
  }
  const kind = storedEngineKindOf(agent.definition) ?? 'llm'
  const missing = () => notFound(ENGINE_WORDS[kind].what, engine?.id ?? '')
  if (engine === null) throw missing()
  const selector = engine.version ?? 'latest'
  if (kind === 'llm') {
    const llm = await engines.llm.find(reader, agent.workspaceId, engine.id, selector)
    if (llm === null) throw missing()
    return toLlmEngine(llm)
  }
  const flow = await engines[kind].find(reader, agent.workspaceId, engine.id, selector)
  if (flow === null) throw missing()
  return toFlowEngine(flow, await engines[kind].findComponents(reader, agent.workspaceId, flow))
}

function toLlmEngine({ id, version, definition }: SourcedLlm): LlmEngine {
  return {
    kind: 'llm',
    id,
    version,
    model: definition.model,
    generalPrompt: definition.general_prompt,
    beginMessage: definition.begin_message,
    tools: definition.general_tools,
    mcps: definition.mcps,
    states: definition.states,
    startingState: definition.starting_state,
    temperature: definition.model_temperature,
    defaultVariables: definition.default_dynamic_variables,
  }
}

function toFlowEngine(
  { id, version, definition }: SourcedFlow,
  shared: ReadonlyMap<string, DialogGraph>,
): FlowEngine {
  const local = definition.components.map((component) => [localComponentId(component), localGraph(component)] as const)
  const localIds = localComponentIds(definition.components)
  const graphs = [
    ...local.map(([name, graph]) => [name, toGraph(graph, localIds)] as const),
    // They know nothing of the local components of the flows that run them.
    ...[...shared].map(([name, graph]) => [name, toGraph(graph, new Set())] as const),
  ]
  return {
    ...toGraph(definition, localIds),
    kind: 'conversation-flow',
    id,
    version,
    model: definition.model_choice.model,
    temperature: definition.model_temperature,
    globalPrompt: definition.global_prompt,
    startSpeaker: definition.start_speaker,
    // Without a prototype, so that no name of a component finds anything else.
    components: Object.assign(Object.create(null), Object.fromEntries(graphs)) as Record<string, FlowGraph>,
    defaultVariables: definition.default_dynamic_variables,
  }
}

/** Every node of type `component` says of which type its component is, so that the id means one component only. */
function toGraph(graph: DialogGraph, localIds: ReadonlySet<string>): FlowGraph {
  const nodes = graph.nodes.map((node) => {
    const named = componentNamedBy(node, localIds)
    if (node.type !== 'component' || named === null) return node
    if (named.type === 'shared' || localIds.has(named.id)) return { ...node, component_type: named.type }
    // Such a local component is not there; a shared one of another flow must not be found in its place.
    const { component_id: _id, ...rest } = node
    return rest
  })
  return { startNodeId: graph.start_node_id, nodes, tools: graph.tools, mcps: graph.mcps }
}
