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
  const start =
    starting_state !== null && !states.some(({ name }) => name === starting_state)
      ? [{ path: 'starting_state', message: describeUnknownState(starting_state) }]
      : []
  const general = new Set(general_tools.map(({ name }) => name))
  return [...start, ...states.flatMap((state, index) => findStateErrors(state, { index, general }))]
}

function findStateErrors(
  { tools = [], edges = [] }: LlmState,
  { index, general }: { readonly index: number; readonly general: ReadonlySet<string> },
): ErrorDetail[] {
  const repeated = tools.flatMap(({ name }, tool) => {
    if (!general.has(name)) return []
    return [
      {
        path: `states[${index}].tools[${tool}].name`,
        message: `must be unique: "${name}" is the name of a general tool`,
      },
    ]
  })
  const toolNames = new Set(tools.map(({ name }) => name))
  const destinations = new Set<string>()
  const clashes = edges.flatMap(({ destination_state_name: destination }, edge): ErrorDetail[] => {
    const path = `states[${index}].edges[${edge}].destination_state_name`
    if (destinations.has(destination))
      return [{ path, message: `must be unique: another edge leads to "${destination}"` }]
    destinations.add(destination)
    const name = toTransitionToolName(destination)
    if (!toolNames.has(name) && !general.has(name)) return []
    return [{ path, message: `must not need the transition tool "${name}": another tool has that name` }]
  })
  return [...repeated, ...clashes]
}

/** Warns about tools whose MCP server is missing. */
export function findLlmWarnings({ general_tools, states, mcps }: CheckedLlm): string[] {
  const servers = new Set(mcps.map(getMcpServerId))
  const tools = [...general_tools, ...states.flatMap((state) => state.tools ?? [])]
  return tools.flatMap((tool) => {
    if (tool.type !== 'mcp' || servers.has(tool.mcp_id)) return []
    return [`The tool "${tool.name}" refers to the MCP server "${tool.mcp_id}", which does not exist.`]
  })
}
