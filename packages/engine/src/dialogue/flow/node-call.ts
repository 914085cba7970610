import type { AnyFlowNode } from '@parley/contract/flow-node'
import { getFlowToolId } from '@parley/contract/flow-tool'
import { getMcpServerId, type McpServerSetting } from '@parley/contract/mcp-server'
import type { JsonObject } from '../../ports.ts'
import type { FlowGraph } from '../conversation.ts'
import { listMcpTools } from '../tools/mcp-request.ts'
import { filterOfferedTools, getToolParameters, type OfferedTool } from '../tools/offered-tools.ts'
import { getToolRefusal, type ToolCallPlan } from '../tools/plan-tool-call.ts'
import type { FlowRun, NodeContext } from './flow-run.ts'
import { waitUntilAborted } from './until-aborted.ts'

/** A node's tool call, equivalent to a call that a model requested. */
export interface NodeCall {
  /** The tool, under a name that model vendors accept. */
  readonly tool: OfferedTool
  readonly mcps: readonly McpServerSetting[]
  /** Whether a model has to provide the arguments. */
  readonly needsArguments: boolean
  /** The tool's name on its MCP server. */
  readonly nameAtServer: string | null
}

/** The call, or a sentence that explains why there is none. */
export type ResolvedCall =
  | { readonly ok: true; readonly call: NodeCall }
  | { readonly ok: false; readonly reason: string }

/** Schema for a tool with unknown arguments. */
const ANY_ARGUMENTS: JsonObject = { type: 'object', properties: {}, additionalProperties: true }
const MAX_NAME_CHARACTERS = 64

/** Resolves the tool call of a `function`, `code` or `mcp` node. */
export async function resolveNodeCall(run: FlowRun, { node, graph }: NodeContext): Promise<ResolvedCall> {
  switch (node.type) {
    case 'function':
      return resolveFunctionCall(run, node, graph)
    case 'code':
      return resolveCodeCall(node)
    case 'mcp':
      return resolveMcpCall(run, node, graph)
    default:
      return { ok: false, reason: 'nodes of this type do not call tools.' }
  }
}

/** Returns the tool's name in the conversation, or `null` if the node calls no tool. */
export function getToolCallName({ node, graph }: NodeContext): string | null {
  if (node.type === 'mcp') return node.mcp_tool_name === undefined ? null : toSafeName(node.mcp_tool_name, 'mcp_tool')
  return node.type === 'function' ? (findNodeTool(node, graph)?.name ?? null) : null
}

/** Converts a name to a form that model vendors accept. Returns `fallbackName` if nothing remains. */
export function toSafeName(name: string, fallbackName: string): string {
  const safeName = name.replaceAll(/[^a-zA-Z0-9_-]+/g, '_').slice(0, MAX_NAME_CHARACTERS)
  return /[a-zA-Z0-9]/.test(safeName) ? safeName : fallbackName
}

/** Returns the plan with the tool name that the MCP server uses. */
export function restoreServerToolName(plan: ToolCallPlan, { nameAtServer }: NodeCall): ToolCallPlan {
  if (plan.type !== 'mcp' || nameAtServer === null) return plan
  return { ...plan, tool: { ...plan.tool, name: nameAtServer } }
}

function findNodeTool({ tool_id: id }: AnyFlowNode, graph: FlowGraph): OfferedTool | null {
  if (id === undefined) return null
  const flowTool = graph.tools.find((tool) => getFlowToolId(tool) === id) ?? graph.tools.find(({ name }) => name === id)
  return flowTool === undefined ? null : (filterOfferedTools([flowTool])[0] ?? null)
}

function resolveFunctionCall({ turn }: FlowRun, node: AnyFlowNode, graph: FlowGraph): ResolvedCall {
  const tool = findNodeTool(node, graph)
  if (tool === null) return { ok: false, reason: `the flow has no tool "${node.tool_id ?? ''}" that can be run.` }
  const { channel, toolMocks: mocks = [] } = turn.conversation
  // A call that will be refused needs no arguments.
  const needsArguments = getToolRefusal(tool, { channel, mocks }) === null && hasProperties(getToolParameters(tool))
  return { ok: true, call: { tool, mcps: graph.mcps, needsArguments, nameAtServer: null } }
}

function hasProperties({ properties }: JsonObject): boolean {
  return typeof properties === 'object' && properties !== null && Object.keys(properties).length > 0
}

function resolveCodeCall({ name = '', code = '', response_variables, timeout_ms }: AnyFlowNode): ResolvedCall {
  if (code.trim() === '') return { ok: false, reason: 'the node has no code.' }
  const settings = { ...(response_variables && { response_variables }), ...(timeout_ms && { timeout_ms }) }
  const tool = { type: 'code', name: toSafeName(name, 'code'), code, ...settings } as const
  return { ok: true, call: { tool, mcps: [], needsArguments: false, nameAtServer: null } }
}

async function resolveMcpCall(run: FlowRun, node: AnyFlowNode, graph: FlowGraph): Promise<ResolvedCall> {
  const { mcp_id: id, mcp_tool_name: serverToolName, response_variables } = node
  const server = graph.mcps.find((mcp) => getMcpServerId(mcp) === id) ?? graph.mcps.find(({ name }) => name === id)
  if (server === undefined) return { ok: false, reason: `there is no MCP server "${id ?? ''}".` }
  if (serverToolName === undefined) return { ok: false, reason: 'the node does not specify an MCP tool.' }
  const name = toSafeName(serverToolName, 'mcp_tool')
  const { description, parameters } = await describeMcpTool(run, server, { serverToolName, name })
  const tool = {
    type: 'mcp',
    name,
    mcp_id: getMcpServerId(server),
    input_schema: parameters as Record<string, unknown>,
    ...(description !== '' && { description }),
    ...(response_variables && { response_variables }),
  } as const
  // The server's settings list approved tools by their original names.
  const approved_tools = (server.approved_tools ?? []).map((toolName) =>
    toolName === serverToolName ? name : toolName,
  )
  const needsArguments = parameters === ANY_ARGUMENTS || hasProperties(parameters)
  return {
    ok: true,
    call: { tool, mcps: [{ ...server, approved_tools }], needsArguments, nameAtServer: serverToolName },
  }
}

/** Requests the tool's description from the server, unless a mock replaces the tool. */
async function describeMcpTool(
  { turn }: FlowRun,
  server: McpServerSetting,
  { serverToolName, name }: { readonly serverToolName: string; readonly name: string },
): Promise<{ readonly description: string; readonly parameters: JsonObject }> {
  const unknownTool = { description: '', parameters: ANY_ARGUMENTS }
  const { toolMocks = [] } = turn.conversation
  if (toolMocks.some(({ toolName }) => toolName === name)) return unknownTool
  const { mcp, secrets } = turn.dependencies
  const listing = listMcpTools(server, { mcp, secrets, lookup: turn.lookup, signal: turn.signal })
  const toolList = await waitUntilAborted(listing, turn.signal)
  const matchingTool = toolList?.ok === true ? toolList.tools.find((tool) => tool.name === serverToolName) : undefined
  return matchingTool === undefined
    ? unknownTool
    : { description: matchingTool.description, parameters: matchingTool.inputSchema }
}
