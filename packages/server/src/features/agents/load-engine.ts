import type { VersionSelector } from '@parley/contract/fields'
import {
  type DialogGraph,
  findReferencedComponent,
  listLocalComponentIds,
} from '@parley/contract/flow-problems/dialog-graph'
import { toLocalGraph } from '@parley/contract/flow-problems/flow-problems'
import { getLocalComponentId } from '@parley/contract/local-component'
import type { McpServerSetting } from '@parley/contract/mcp-server'
import type {
  AgentLoader,
  FlowEngine,
  FlowGraph,
  LlmEngine,
  ResponseEngine,
} from '@parley/engine/dialogue/conversation'
import { toKnowledgeUse } from '@parley/engine/dialogue/knowledge/knowledge-use'
import { AppError, notFound } from '../../kernel/errors.ts'
import type { Reader } from '../../kernel/storage/database.ts'
import type { EngineReference, Versioned } from '../../kernel/versions/version-store.ts'
import type { ToolVault } from '../engines/public.ts'
import { ENGINE_NAMES } from './agent-checks.ts'
import { type AgentDefinition, getStoredEngineKind } from './agent-definition.ts'
import { DEFAULT_RESPONSIVENESS } from './agent-kind.ts'
import type { Engines, VersionedFlow, VersionedLlm } from './agent-ports.ts'
import type { AgentResolver, PinnedAgent } from './pinned-agent.ts'

/** An agent's engine version. Version `null` means the newest version. */
type Reference = Pick<EngineReference, 'id' | 'version'> | null

/** Call settings that the engine contains, not the agent. */
export interface CallEngineSettings {
  readonly responsiveness: string
  readonly beginAfterUserSilenceMs: number | null
}

interface LoadedEngine {
  readonly engine: ResponseEngine
  readonly callSettings: CallEngineSettings
}

/** Loads an agent version's engine. Throws `not_found` if the engine no longer exists. */
export async function loadEngine(
  reader: Reader,
  { engines, vault }: { readonly engines: Engines; readonly vault: Pick<ToolVault, 'decrypt'> },
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
  const kind = getStoredEngineKind(agent.definition) ?? 'llm'
  const createNotFoundError = () => notFound(ENGINE_NAMES[kind].label, engine?.id ?? '')
  if (engine === null) throw createNotFoundError()
  const selector = engine.version ?? 'latest'
  if (kind === 'llm') {
    const llm = await engines.llm.find(reader, agent.workspaceId, engine.id, selector)
    if (llm === null) throw createNotFoundError()
    const { responsiveness, begin_after_user_silence_ms: silenceMs } = llm.definition
    const definition = vault.decrypt(llm.definition, agent.workspaceId)
    return {
      engine: toLlmEngine({ ...llm, definition }),
      callSettings: { responsiveness, beginAfterUserSilenceMs: silenceMs ?? null },
    }
  }
  const flow = await engines[kind].find(reader, agent.workspaceId, engine.id, selector)
  if (flow === null) throw createNotFoundError()
  const components = await engines[kind].findComponents(reader, agent.workspaceId, flow)
  return {
    engine: toFlowEngine(
      { ...flow, definition: vault.decrypt(flow.definition, agent.workspaceId) },
      new Map([...components].map(([id, graph]) => [id, vault.decrypt(graph, agent.workspaceId)])),
    ),
    callSettings: {
      responsiveness: DEFAULT_RESPONSIVENESS,
      beginAfterUserSilenceMs: flow.definition.begin_after_user_silence_ms ?? null,
    },
  }
}

function toLlmEngine({ id, version, definition }: VersionedLlm): LlmEngine {
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
    knowledge: toKnowledgeUse(definition.knowledge_base_ids, definition.kb_config),
    defaultVariables: definition.default_dynamic_variables,
  }
}

function toFlowEngine(
  { id, version, definition }: VersionedFlow,
  sharedComponents: ReadonlyMap<string, DialogGraph>,
): FlowEngine {
  const flowIds = listLocalComponentIds(definition.components)
  const flowScope: ComponentScope = {
    localIds: flowIds,
    sharedIds: sharedComponents,
    allIds: new Set([...flowIds, ...sharedComponents.keys()]),
  }
  // Shared components cannot reference local components of the flows that run them.
  const sharedScope: ComponentScope = { ...flowScope, localIds: new Set() }
  const graphs = [
    ...definition.components.map(
      (component) => [getLocalComponentId(component), toFlowGraph(toLocalGraph(component), flowScope)] as const,
    ),
    ...[...sharedComponents].map(([componentId, graph]) => [componentId, toFlowGraph(graph, sharedScope)] as const),
  ]
  return {
    ...toFlowGraph(definition, flowScope),
    kind: 'conversation-flow',
    id,
    version,
    model: definition.model_choice.model,
    temperature: definition.model_temperature,
    globalPrompt: definition.global_prompt,
    startSpeaker: definition.start_speaker,
    maxHopsPerTurn: definition.max_hops_per_turn,
    knowledge: toKnowledgeUse(definition.knowledge_base_ids, definition.kb_config),
    // The object has no prototype, so that component names cannot match inherited properties.
    components: Object.assign(Object.create(null), Object.fromEntries(graphs)) as Record<string, FlowGraph>,
    defaultVariables: definition.default_dynamic_variables,
  }
}

/** The components that a graph's nodes can reference. */
interface ComponentScope {
  readonly localIds: ReadonlySet<string>
  readonly sharedIds: Pick<ReadonlySet<string>, 'has'>
  /** Ids of all components of the engine, including components that the graph cannot reference. */
  readonly allIds: ReadonlySet<string>
}

/**
 * Converts a graph to its runtime form and resolves the component of each `component` node. References to components
 * that are out of scope are removed.
 */
function toFlowGraph(graph: DialogGraph, { localIds, sharedIds, allIds }: ComponentScope): FlowGraph {
  const nodes = graph.nodes.map((node) => {
    const reference = findReferencedComponent(node, localIds)
    if (node.type !== 'component' || reference === null || !allIds.has(reference.id)) return node
    if ((reference.type === 'local' ? localIds : sharedIds).has(reference.id))
      return { ...node, component_type: reference.type }
    const { component_id: _componentId, ...rest } = node
    return rest
  })
  return { startNodeId: graph.start_node_id, nodes, tools: graph.tools, mcps: graph.mcps }
}

/** Creates a loader for agents that take over a conversation. If `load` throws, the loader returns an error message. */
export function createAgentLoader(
  load: (agentId: string, version: number | 'active') => Promise<PinnedAgent>,
): AgentLoader {
  return {
    async load(agentId, agentVersion) {
      try {
        return { ok: true, agent: await load(agentId, agentVersion ?? 'active') }
      } catch (error) {
        // Internal errors, such as database errors, are hidden from the model.
        const message = error instanceof AppError && error.status < 500 ? error.message : 'it cannot be loaded now.'
        return { ok: false, message }
      }
    },
  }
}

/** Selects the MCP servers of an agent's engine or of one of the engine's components. */
interface McpServerQuery {
  readonly workspaceId: number
  readonly agentId: string
  readonly version: VersionSelector
  readonly componentId?: string | undefined
}

interface McpServersResult {
  readonly servers: readonly McpServerSetting[]
  /** Values for `{{variables}}` in the server settings. */
  readonly variables: Readonly<Record<string, string>>
}

/** Finds an agent version's MCP servers. Also accepts unused drafts. */
interface McpServerFinder {
  /** Throws `not_found` if the agent, version or component does not exist. */
  findMcpServers(query: McpServerQuery): Promise<McpServersResult>
}

export function createMcpServerFinder({
  agents,
}: {
  readonly agents: Pick<AgentResolver, 'preview'>
}): McpServerFinder {
  return {
    async findMcpServers({ workspaceId, agentId, version, componentId }) {
      const { engine } = await agents.preview({ workspaceId, agentId, version })
      const variables = engine.defaultVariables
      if (componentId !== undefined) {
        const components = engine.kind === 'conversation-flow' ? engine.components : {}
        if (!Object.hasOwn(components, componentId)) throw notFound('component', componentId)
        return { servers: components[componentId]?.mcps ?? [], variables }
      }
      return { servers: engine.kind === 'custom-llm' ? [] : engine.mcps, variables }
    },
  }
}
