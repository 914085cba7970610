import type { ErrorDetail } from './errors.ts'
import { describeUnknownState, type LlmState, toTransitionToolName } from './llm-state.ts'
import { getMcpServerId, type McpServerSetting } from './mcp-server.ts'
import type { Tool } from './tools.ts'

/** Parts of an LLM configuration that must be consistent. */
export interface CheckedLlm {
  readonly general_tools: readonly Tool[]
  readonly states: readonly LlmState[]
  readonly starting_state: string | null
  readonly mcps: readonly McpServerSetting[]
}

/**
 * Returns the errors of an LLM configuration. In each state, the general tools, the state's tools and one transition tool per
 * edge must have unique names.
 */
export function findLlmErrors({ general_tools, states, starting_state }: CheckedLlm): ErrorDetail[] {
  const startErrors =
    starting_state !== null && !states.some(({ name }) => name === starting_state)
      ? [{ path: 'starting_state', message: describeUnknownState(starting_state) }]
      : []
  const generalToolNames = new Set(general_tools.map(({ name }) => name))
  return [...startErrors, ...states.flatMap((state, index) => findStateErrors(state, { index, generalToolNames }))]
}

function findStateErrors(
  { tools = [], edges = [] }: LlmState,
  { index, generalToolNames }: { readonly index: number; readonly generalToolNames: ReadonlySet<string> },
): ErrorDetail[] {
  const duplicateErrors = tools.flatMap(({ name }, toolIndex) => {
    if (!generalToolNames.has(name)) return []
    return [
      {
        path: `states[${index}].tools[${toolIndex}].name`,
        message: `must be unique: "${name}" is the name of a general tool`,
      },
    ]
  })
  const toolNames = new Set(tools.map(({ name }) => name))
  const destinations = new Set<string>()
  const edgeErrors = edges.flatMap(({ destination_state_name: destination }, edgeIndex): ErrorDetail[] => {
    const path = `states[${index}].edges[${edgeIndex}].destination_state_name`
    if (destinations.has(destination))
      return [{ path, message: `must be unique: another edge leads to "${destination}"` }]
    destinations.add(destination)
    const name = toTransitionToolName(destination)
    if (!toolNames.has(name) && !generalToolNames.has(name)) return []
    return [{ path, message: `must not need the transition tool "${name}": another tool has that name` }]
  })
  return [...duplicateErrors, ...edgeErrors]
}

/** Warns about tools whose MCP server is missing. */
export function findLlmWarnings({ general_tools, states, mcps }: CheckedLlm): string[] {
  const serverIds = new Set(mcps.map(getMcpServerId))
  const tools = [...general_tools, ...states.flatMap((state) => state.tools ?? [])]
  return tools.flatMap((tool) => {
    if (tool.type !== 'mcp' || serverIds.has(tool.mcp_id)) return []
    return [`The tool "${tool.name}" refers to the MCP server "${tool.mcp_id}", which does not exist.`]
  })
}
