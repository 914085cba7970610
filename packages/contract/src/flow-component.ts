import { z } from 'zod'
import { changedStart, FLOW_LIMIT_BYTES, newNodes, newStart, nodeChangeFields } from './conversation-flow.ts'
import { bodyWorkspace, clearable, DateTime, id, label, orDefault, Warnings, WorkspaceQuery } from './fields.ts'
import { FlowNode } from './flow-node.ts'
import { FlowNote, FlowNoteList } from './flow-note.ts'
import { flexMode } from './flow-switches.ts'
import { FlowTool, FlowToolList } from './flow-tool.ts'
import { McpServerList, McpServerSetting } from './mcp-server.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery } from './pagination.ts'
import { secretsFrom } from './secrets-from.ts'

/** Shared components: parts of dialog graphs that several conversation flows of a workspace run as one node. */

const TOOLS = { description: 'Tools that the nodes name by `tool_id` or name.' }
const MCPS = { description: 'MCP servers that the nodes and tools name by `mcp_id` or name.' }
const NOTES = { description: 'Notes beside the graph, for the people who edit it.' }
const Name = label().meta({ description: 'Name to know it by.' })
const ComponentTools = FlowToolList.meta({
  description: `${TOOLS.description} The complete list, each name and id once.`,
})
const McpServers = McpServerList.meta({ description: `${MCPS.description} The complete list, each name and id once.` })
const Notes = FlowNoteList.meta({ description: `${NOTES.description} The complete list, each id once.` })

export const FlowComponentItem = z
  .object({
    flow_component_id: z.string(),
    workspaceId: z.int(),
    name: z.string(),
    created_at: DateTime,
    updated_at: DateTime,
  })
  .meta({ id: 'FlowComponentItem' })
export type FlowComponentItem = z.output<typeof FlowComponentItem>

export const FlowComponent = z
  .object({
    flow_component_id: z.string(),
    workspaceId: z.int(),
    name: z.string(),
    start_node_id: z.string().meta({ description: 'The node that the component begins at.' }),
    nodes: z.array(FlowNode).meta({
      description: 'The nodes of the graph. An edge without a destination leaves the component.',
    }),
    tools: z.array(FlowTool).meta(TOOLS),
    mcps: z.array(McpServerSetting).meta(MCPS),
    notes: z.array(FlowNote).meta(NOTES),
    created_at: DateTime,
    updated_at: DateTime,
  })
  .meta({ id: 'FlowComponent' })
export type FlowComponent = z.output<typeof FlowComponent>

export const FlowComponentWritten = FlowComponent.extend({ warnings: Warnings }).meta({ id: 'FlowComponentWritten' })
export type FlowComponentWritten = z.output<typeof FlowComponentWritten>

export const CreateFlowComponentBody = z
  .object({
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
  .meta({ id: 'CreateFlowComponentBody' })
export type CreateFlowComponentBody = z.output<typeof CreateFlowComponentBody>

export const UpdateFlowComponentBody = z
  .object({
    workspaceId: bodyWorkspace(),
    name: clearable(Name, () => ''),
    start_node_id: changedStart,
    ...nodeChangeFields,
    tools: clearable(ComponentTools, () => []),
    mcps: clearable(McpServers, () => []),
    notes: clearable(Notes, () => []),
    flex_mode: flexMode,
  })
  .meta({
    id: 'UpdateFlowComponentBody',
    description: 'Absent fields stay as they are, null returns one to its default.',
  })
export type UpdateFlowComponentBody = z.output<typeof UpdateFlowComponentBody>

const ComponentPath = z.object({
  flowComponentId: id().meta({ description: 'The shared component, `flow_component_…`.' }),
})
const TAG = 'Conversation Flows'

export const createFlowComponent = defineOperation({
  name: 'createFlowComponent',
  method: 'POST',
  path: '/api/flow-components',
  tag: TAG,
  summary: 'Create a shared component',
  description: 'Conversation flows run it with a node of type `component` and `component_type` `shared`.',
  access: 'write',
  workspace: 'body',
  body: CreateFlowComponentBody,
  bodyLimitBytes: FLOW_LIMIT_BYTES,
  status: 201,
  result: FlowComponentWritten,
  features: ['etag'],
})

export const listFlowComponents = defineOperation({
  name: 'listFlowComponents',
  method: 'GET',
  path: '/api/flow-components',
  tag: TAG,
  summary: 'List shared components',
  description: 'Newest first, without their nodes.',
  access: 'read',
  workspace: 'query',
  query: pagingQuery(EXTENSION_LIST_LIMIT),
  status: 200,
  result: z.array(FlowComponentItem),
  features: ['paged'],
})

export const getFlowComponent = defineOperation({
  name: 'getFlowComponent',
  method: 'GET',
  path: '/api/flow-components/{flowComponentId}',
  tag: TAG,
  summary: 'Read a shared component',
  description: 'Components have no versions: this is the one that drafts of flows run and their next versions will.',
  access: 'read',
  workspace: 'query',
  pathParameters: ComponentPath,
  query: WorkspaceQuery,
  status: 200,
  result: FlowComponent,
  errors: ['not_found'],
  features: ['etag'],
})

export const updateFlowComponent = defineOperation({
  name: 'updateFlowComponent',
  method: 'PATCH',
  path: '/api/flow-components/{flowComponentId}',
  tag: TAG,
  summary: 'Change a shared component',
  description:
    'Holds for every flow that uses it, directly or through others. One whose newest version is frozen gets its next ' +
    'version, which agents that are not pinned, published or activated follow; `warnings` names those that stay. Nodes ' +
    'are merged by id; the whole must be sound afterwards.',
  access: 'write',
  workspace: 'body',
  pathParameters: ComponentPath,
  body: UpdateFlowComponentBody,
  bodyLimitBytes: FLOW_LIMIT_BYTES,
  status: 200,
  result: FlowComponentWritten,
  errors: ['not_found', 'version_conflict'],
  features: ['etag'],
})

export const deleteFlowComponent = defineOperation({
  name: 'deleteFlowComponent',
  method: 'DELETE',
  path: '/api/flow-components/{flowComponentId}',
  tag: TAG,
  summary: 'Delete a shared component',
  description: 'Refused while the newest version of a flow, or another component, uses it; the answer lists the users.',
  access: 'write',
  workspace: 'query',
  pathParameters: ComponentPath,
  query: WorkspaceQuery,
  status: 204,
  errors: ['not_found', 'in_use', 'version_conflict'],
})
