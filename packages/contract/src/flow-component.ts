import { z } from 'zod'
import { changedStart, FLOW_LIMIT_BYTES, newNodes, newStart, nodeChangeFields } from './conversation-flow.ts'
import { bodyWorkspace, clearable, DateTime, id, label, orDefault, Warnings, WorkspaceQuery } from './fields.ts'
import { FlowNode } from './flow-node.ts'
import { FlowNote, FlowNoteList } from './flow-note.ts'
import { flexMode } from './flow-switches.ts'
import { FlowTool, FlowToolList } from './flow-tool.ts'
import { McpServerList, McpServerSetting } from './mcp-server.ts'
import { defineDescribedObject, defineObject, PATCH_DESCRIPTION } from './named-object.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery } from './pagination.ts'
import { secretsFrom } from './secrets-from.ts'

/** Shared components: parts of dialog graphs that a workspace's conversation flows run as a single node. */

const TOOLS = 'Tools that nodes refer to by `tool_id` or name.'
const MCPS = 'MCP servers that nodes and tools refer to by `mcp_id` or name.'
const NOTES = 'Notes for editors of the graph.'
const Name = label().describe('Display name.')
const ComponentTools = FlowToolList.describe(`${TOOLS} Complete list with unique names and IDs.`)
const McpServers = McpServerList.describe(`${MCPS} Complete list with unique names and IDs.`)
const Notes = FlowNoteList.describe(`${NOTES} Complete list with unique IDs.`)

export const FlowComponentItem = defineObject('FlowComponentItem', {
  flow_component_id: z.string(),
  workspaceId: z.int(),
  name: z.string(),
  created_at: DateTime,
  updated_at: DateTime,
})
export type FlowComponentItem = z.output<typeof FlowComponentItem>

export const FlowComponent = defineObject('FlowComponent', {
  flow_component_id: z.string(),
  workspaceId: z.int(),
  name: z.string(),
  start_node_id: z.string().describe('ID of the first node.'),
  nodes: z.array(FlowNode).describe('Nodes of the graph. An edge without a destination leaves the component.'),
  tools: z.array(FlowTool).describe(TOOLS),
  mcps: z.array(McpServerSetting).describe(MCPS),
  notes: z.array(FlowNote).describe(NOTES),
  created_at: DateTime,
  updated_at: DateTime,
})
export type FlowComponent = z.output<typeof FlowComponent>

export const FlowComponentWritten = FlowComponent.extend({ warnings: Warnings }).meta({ id: 'FlowComponentWritten' })
export type FlowComponentWritten = z.output<typeof FlowComponentWritten>

export const CreateFlowComponentBody = defineObject('CreateFlowComponentBody', {
  workspaceId: bodyWorkspace(),
  name: orDefault(Name, () => ''),
  start_node_id: newStart,
  nodes: newNodes,
  tools: orDefault(ComponentTools, () => []),
  mcps: orDefault(McpServers, () => []),
  notes: orDefault(Notes, () => []),
  flex_mode: flexMode,
  secrets_from: secretsFrom(),
})
export type CreateFlowComponentBody = z.output<typeof CreateFlowComponentBody>

export const UpdateFlowComponentBody = defineDescribedObject('UpdateFlowComponentBody', PATCH_DESCRIPTION, {
  workspaceId: bodyWorkspace(),
  name: clearable(Name, () => ''),
  start_node_id: changedStart,
  ...nodeChangeFields,
  tools: clearable(ComponentTools, () => []),
  mcps: clearable(McpServers, () => []),
  notes: clearable(Notes, () => []),
  flex_mode: flexMode,
})
export type UpdateFlowComponentBody = z.output<typeof UpdateFlowComponentBody>

const ComponentPath = z.object({
  flowComponentId: id().describe('ID of the shared component (`flow_component_…`).'),
})
const TAG = 'Conversation Flows'

export const createFlowComponent = defineOperation({
  name: 'createFlowComponent',
  route: 'POST /api/flow-components',
  tag: TAG,
  summary: 'Create a shared component',
  description: 'Creates a component that flows run with a `component` node and `component_type` `shared`.',
  access: 'write',
  body: CreateFlowComponentBody,
  bodyLimitBytes: FLOW_LIMIT_BYTES,
  status: 201,
  result: FlowComponentWritten,
  features: ['etag'],
})

export const listFlowComponents = defineOperation({
  name: 'listFlowComponents',
  route: 'GET /api/flow-components',
  tag: TAG,
  summary: 'List shared components',
  description: 'Returns shared components without their nodes, newest first.',
  access: 'read',
  query: pagingQuery(EXTENSION_LIST_LIMIT),
  result: z.array(FlowComponentItem),
  features: ['paged'],
})

export const getFlowComponent = defineOperation({
  name: 'getFlowComponent',
  route: 'GET /api/flow-components/{flowComponentId}',
  tag: TAG,
  summary: 'Get a shared component',
  description: 'Returns the current component, which drafts and future flow versions use. Components have no versions.',
  access: 'read',
  pathParameters: ComponentPath,
  query: WorkspaceQuery,
  result: FlowComponent,
  features: ['etag'],
})

export const updateFlowComponent = defineOperation({
  name: 'updateFlowComponent',
  route: 'PATCH /api/flow-components/{flowComponentId}',
  tag: TAG,
  summary: 'Update a shared component',
  description:
    'Changes the component in every flow that uses it, directly or through other components. A flow whose latest ' +
    'version is frozen gets a new version, which agents use unless they pin a version or are published or ' +
    'activated; `warnings` lists the agents that do not use it. Nodes are merged by ID, and the resulting component ' +
    'must be valid.',
  access: 'write',
  pathParameters: ComponentPath,
  body: UpdateFlowComponentBody,
  bodyLimitBytes: FLOW_LIMIT_BYTES,
  result: FlowComponentWritten,
  errors: ['version_conflict'],
  features: ['etag'],
})

export const deleteFlowComponent = defineOperation({
  name: 'deleteFlowComponent',
  route: 'DELETE /api/flow-components/{flowComponentId}',
  tag: TAG,
  summary: 'Delete a shared component',
  description:
    'Permanently deletes the component. Fails with `in_use` while the latest version of a flow or another ' +
    'component uses it; the error lists them.',
  access: 'write',
  pathParameters: ComponentPath,
  query: WorkspaceQuery,
  errors: ['in_use', 'version_conflict'],
})
