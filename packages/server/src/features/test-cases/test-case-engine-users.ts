import type { EngineUsers } from '../engines/public.ts'
import { findTestCasesOf } from './test-case-store.ts'

/** Enough to say who is in the way; an engine may have thousands of test cases. */
const MAX_NAMED = 20

/** Test cases as their engines see them: they would break without one. */
export function createTestCaseEngineUsers(): EngineUsers {
  return {
    usersOf: (reader, workspaceId, engineId) => findTestCasesOf(reader, { workspaceId, engineId, limit: MAX_NAMED }),
  }
}
