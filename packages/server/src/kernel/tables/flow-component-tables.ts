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

export interface FlowComponentTables {
  flow_components: FlowComponentRow
}
