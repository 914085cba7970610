import { type DialogGraph, localComponentIds, referencedComponent } from '@parley/contract/flow-problems/dialog-graph'
import { localGraph } from '@parley/contract/flow-problems/flow-problems'
import { localComponentId } from '@parley/contract/local-component'
import type { FlowEngine, FlowGraph, LlmEngine, ResponseEngine } from '@parley/engine/dialogue/conversation'
import { knowledgeUse } from '@parley/engine/dialogue/knowledge/knowledge-use'
import { notFound } from '../../kernel/errors.ts'
import type { Reader } from '../../kernel/storage/database.ts'
import type { EngineReference, Versioned } from '../../kernel/versions/version-store.ts'
import type { ToolVault } from '../engines/public.ts'
import { type AgentDefinition, storedEngineKindOf } from './agent-definition.ts'
import type { Engines, SourcedFlow, SourcedLlm } from './agent-ports.ts'
import { DEFAULT_RESPONSIVENESS } from './agent-responsiveness.ts'
import { ENGINE_WORDS } from './engine-check.ts'

/** Which version of its engine an agent answers with; a version of `null` means the newest. */
type Reference = Pick<EngineReference, 'id' | 'version'> | null

/** What an engine says about calls beside what it says in them. */
export interface CallEngineSettings {
  readonly responsiveness: string
  readonly beginAfterUserSilenceMs: number | null
}

export interface LoadedEngine {
  readonly engine: ResponseEngine
  readonly callSettings: CallEngineSettings
}

/** The engine of an agent's version as conversations run it. Throws `not_found` when it does not exist any more. */
export async function loadEngine(
  reader: Reader,
  { engines, vault }: { readonly engines: Engines; readonly vault: Pick<ToolVault, 'open'> },
  { agent, engine }: { readonly agent: Versioned<AgentDefinition>; readonly engine: Reference },
): Promise<LoadedEngine> {
  const { response_engine } = agent.definition
  if ('llm_websocket_url' in response_engine) {
    const url = response_engine.llm_websocket_url
    return {
      engine: { kind: 'custom-llm', id: null, version: null, url, defaultVariables: {} },
      callSettings: { responsiveness: DEFAULT_RESPONSIVENESS, beginAfterUserSilenceMs: null },
    }
  }
  const kind = storedEngineKindOf(agent.definition) ?? 'llm'
  const missing = () => notFound(ENGINE_WORDS[kind].what, engine?.id ?? '')
  if (engine === null) throw missing()
  const selector = engine.version ?? 'latest'
  if (kind === 'llm') {
    const llm = await engines.llm.find(reader, agent.workspaceId, engine.id, selector)
    if (llm === null) throw missing()
    const { responsiveness, begin_after_user_silence_ms: silenceMs } = llm.definition
    const definition = vault.open(llm.definition, agent.workspaceId)
    return {
      engine: toLlmEngine({ ...llm, definition }),
      callSettings: { responsiveness, beginAfterUserSilenceMs: silenceMs ?? null },
    }
  }
  const flow = await engines[kind].find(reader, agent.workspaceId, engine.id, selector)
  if (flow === null) throw missing()
  const components = await engines[kind].findComponents(reader, agent.workspaceId, flow)
  return {
    engine: toFlowEngine(
      { ...flow, definition: vault.open(flow.definition, agent.workspaceId) },
      new Map([...components].map(([id, graph]) => [id, vault.open(graph, agent.workspaceId)])),
    ),
    callSettings: {
      responsiveness: DEFAULT_RESPONSIVENESS,
      beginAfterUserSilenceMs: flow.definition.begin_after_user_silence_ms ?? null,
    },
  }
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
    knowledge: knowledgeUse(definition.knowledge_base_ids, definition.kb_config),
    defaultVariables: definition.default_dynamic_variables,
  }
}

function toFlowEngine({ id, version, definition }: SourcedFlow, shared: ReadonlyMap<string, DialogGraph>): FlowEngine {
  const flowIds = localComponentIds(definition.components)
  const inFlow: Named = { local: flowIds, shared, all: new Set([...flowIds, ...shared.keys()]) }
  // Shared components know nothing of the local ones of the flows that run them.
  const inShared: Named = { ...inFlow, local: new Set() }
  const graphs = [
    ...definition.components.map((one) => [localComponentId(one), toGraph(localGraph(one), inFlow)] as const),
    ...[...shared].map(([componentId, graph]) => [componentId, toGraph(graph, inShared)] as const),
  ]
  return {
    ...toGraph(definition, inFlow),
    kind: 'conversation-flow',
    id,
    version,
    model: definition.model_choice.model,
    temperature: definition.model_temperature,
    globalPrompt: definition.global_prompt,
    startSpeaker: definition.start_speaker,
    maxHopsPerTurn: definition.max_hops_per_turn,
    knowledge: knowledgeUse(definition.knowledge_base_ids, definition.kb_config),
    // Without a prototype, so that no name of a component finds anything else.
    components: Object.assign(Object.create(null), Object.fromEntries(graphs)) as Record<string, FlowGraph>,
    defaultVariables: definition.default_dynamic_variables,
  }
}

/** What nodes of a graph can name. */
interface Named {
  readonly local: ReadonlySet<string>
  readonly shared: Pick<ReadonlySet<string>, 'has'>
  /** All components of the engine, those that the graph cannot name included. */
  readonly all: ReadonlySet<string>
}

/** Nodes of type `component` name one of the engine's components by its id alone, or one that is not there. */
function toGraph(graph: DialogGraph, { local, shared, all }: Named): FlowGraph {
  const nodes = graph.nodes.map((node) => {
    const named = referencedComponent(node, local)
    if (node.type !== 'component' || named === null || !all.has(named.id)) return node
    if ((named.type === 'local' ? local : shared).has(named.id)) return { ...node, component_type: named.type }
    const { component_id: _another, ...rest } = node
    return rest
  })
  return { startNodeId: graph.start_node_id, nodes, tools: graph.tools, mcps: graph.mcps }
}
