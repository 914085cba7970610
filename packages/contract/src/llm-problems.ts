import type { ErrorDetail } from './errors.ts'
import { type LlmState, transitionToolName } from './llm-state.ts'
import { type McpServerSetting, mcpServerId } from './mcp-server.ts'
import type { Tool } from './tools.ts'

/** An LLM configuration, as far as its parts have to fit together. */
export interface CheckedLlm {
  readonly general_tools: readonly Tool[]
  readonly states: readonly LlmState[]
  readonly starting_state: string | null
  readonly mcps: readonly McpServerSetting[]
}

/**
 * What makes an LLM configuration impossible to run. In a state a model is offered the general tools, those of the state and one
 * tool for each edge, so that no two of them may have one name.
 */
export function llmErrors({ general_tools, states, starting_state }: CheckedLlm): ErrorDetail[] {
  const unknownStartingState = starting_state !== null && !states.some(({ name }) => name === starting_state)
  const start = unknownStartingState
    ? [{ path: 'starting_state', message: `must name a state: there is no "${starting_state}"` }]
    : []
  const general = new Set(general_tools.map(({ name }) => name))
  return [...start, ...states.flatMap((state, index) => stateErrors(state, { index, general }))]
}

function stateErrors(
  { tools = [], edges = [] }: LlmState,
  { index, general }: { readonly index: number; readonly general: ReadonlySet<string> },
): ErrorDetail[] {
  const repeated = tools.flatMap(({ name }, tool) => {
    if (!general.has(name)) return []
    return [
      { path: `states[${index}].tools[${tool}].name`, message: `must not be the name of a general tool: "${name}"` },
    ]
  })
  const own = new Set(tools.map(({ name }) => name))
  const led = new Set<string>()
  const clashes = edges.flatMap(({ destination_state_name: destination }, edge): ErrorDetail[] => {
    const path = `states[${index}].edges[${edge}].destination_state_name`
    if (led.has(destination)) return [{ path, message: `must be unique: another edge leads to "${destination}"` }]
    led.add(destination)
    const name = transitionToolName(destination)
    if (!own.has(name) && !general.has(name)) return []
    return [{ path, message: `must not need the tool "${name}" to go there: another tool has that name` }]
  })
  return [...repeated, ...clashes]
}

/** Sentences about tools that an LLM configuration names and does not have a server for. */
export function llmWarnings({ general_tools, states, mcps }: CheckedLlm): string[] {
  const servers = new Set(mcps.map(mcpServerId))
  const tools = [...general_tools, ...states.flatMap((state) => state.tools ?? [])]
  return tools.flatMap((tool) => {
    if (tool.type !== 'mcp' || servers.has(tool.mcp_id)) return []
    return [`The tool "${tool.name}" names the MCP server "${tool.mcp_id}", which is not there.`]
  })
}
