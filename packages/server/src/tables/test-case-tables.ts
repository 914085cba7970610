import type { Json, Milliseconds } from './columns.ts'

/** A conversation to simulate with one response engine. */
export interface TestCaseRow {
  test_case_id: string
  workspace_id: number
  name: string
  /** llm or conversation-flow */
  engine_kind: string
  engine_id: string
  /** Null follows the engine's newest. */
  engine_version: number | null
  /** The contract object without ids, name, engine and times. */
  definition: Json
  edit_count: number
  created_at: Milliseconds
  updated_at: Milliseconds
}

export interface TestCaseTables {
  test_cases: TestCaseRow
}
