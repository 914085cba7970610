import type { Json, Milliseconds } from './columns.ts'

/** A part of dialog graphs that several flows of a workspace share. */
export interface FlowComponentRow {
  flow_component_id: string
  workspace_id: number
  /** The contract object without ids and times. */
  definition: Json
  edit_count: number
  created_at: Milliseconds
  updated_at: Milliseconds
}

/** A shared component as a frozen version of a flow runs it, for ever. */
export interface FlowVersionComponentRow {
  /** The flow. */
  resource_id: string
  version: number
  flow_component_id: string
  /** What of the component's definition conversations run. */
  definition: Json
}

export interface FlowComponentTables {
  flow_components: FlowComponentRow
  flow_version_components: FlowVersionComponentRow
}
