import type { TestCase, TestCaseType } from '@parley/contract/test-case'
import { sql } from 'kysely'
import { type Page, type PageRequest, readNewest } from '../../kernel/api/paging.ts'
import type { ResourceUser } from '../../kernel/errors.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import type { TestCaseRow } from '../../tables/resource-tables.ts'
import type { TestCaseContent, TestCaseDefinition } from './test-case-definition.ts'

/** A stored test case. */
export interface StoredTestCase extends TestCaseContent {
  readonly id: string
  readonly workspaceId: number
  /** The engine version that a test run currently uses. */
  readonly effectiveVersion: number
  readonly editCount: number
  readonly createdAt: number
  readonly updatedAt: number
}

export interface TestCaseFilter {
  readonly workspaceId: number
  readonly type?: TestCaseType | undefined
  readonly llmId?: string | undefined
  readonly conversationFlowId?: string | undefined
  /** Version of the engine. */
  readonly version?: number | undefined
}

type JoinedRow = TestCaseRow & { effective_version: number }

const effectiveVersion = sql<number>`coalesce(test_cases.engine_version, resources.newest_version)`

export async function findTestCase(reader: Reader, workspaceId: number, id: string): Promise<StoredTestCase | null> {
  const row = await selectTestCases(reader)
    .where('test_cases.test_case_id', '=', id)
    .where('test_cases.workspace_id', '=', workspaceId)
    .executeTakeFirst()
  return row === undefined ? null : toStoredTestCase(row)
}

/** Lists test cases, newest first. */
export async function listTestCases(
  reader: Reader,
  filter: TestCaseFilter,
  page: PageRequest,
): Promise<Page<StoredTestCase>> {
  let query = selectTestCases(reader).where('test_cases.workspace_id', '=', filter.workspaceId)
  if (filter.type !== undefined) query = query.where('test_cases.engine_kind', '=', filter.type)
  if (filter.llmId !== undefined) query = query.where(buildEngineCondition('llm', filter.llmId))
  if (filter.conversationFlowId !== undefined)
    query = query.where(buildEngineCondition('conversation-flow', filter.conversationFlowId))
  if (filter.version !== undefined) query = query.where(effectiveVersion, '=', filter.version)
  return await readNewest(query, page, ['test_cases.created_at', 'test_cases.test_case_id'], toStoredTestCase)
}

/** Finds the first test cases of an engine, ordered by name. */
export async function findEngineTestCases(
  reader: Reader,
  { workspaceId, engineId, limit }: { workspaceId: number; engineId: string; limit: number },
): Promise<readonly ResourceUser[]> {
  return await reader
    .selectFrom('test_cases')
    .select(['test_case_id as id', 'name'])
    .where('workspace_id', '=', workspaceId)
    .where('engine_id', '=', engineId)
    .orderBy('name')
    .orderBy('test_case_id')
    .limit(limit)
    .execute()
}

/** Inserts a test case. Returns false if the id is taken. */
export async function insertTestCase(
  transaction: Transaction,
  newTestCase: { readonly id: string; readonly workspaceId: number; readonly now: number },
  content: TestCaseContent,
): Promise<boolean> {
  const insertedRows = await transaction
    .insertInto('test_cases')
    .values({
      test_case_id: newTestCase.id,
      workspace_id: newTestCase.workspaceId,
      ...toContentColumns(content),
      edit_count: 1,
      created_at: newTestCase.now,
      updated_at: newTestCase.now,
    })
    .onConflict((conflict) => conflict.column('test_case_id').doNothing())
    .returning('test_case_id')
    .execute()
  return insertedRows.length > 0
}

/** Stores an edited test case and counts the edit. */
export async function saveTestCase(
  transaction: Transaction,
  target: { readonly id: string; readonly now: number },
  content: TestCaseContent,
): Promise<void> {
  await transaction
    .updateTable('test_cases')
    .set((column) => ({
      ...toContentColumns(content),
      edit_count: column('edit_count', '+', 1),
      updated_at: target.now,
    }))
    .where('test_case_id', '=', target.id)
    .execute()
}

export async function removeTestCase(transaction: Transaction, id: string): Promise<void> {
  await transaction.deleteFrom('test_cases').where('test_case_id', '=', id).execute()
}

export function toTestCase(testCase: StoredTestCase): TestCase {
  const { engine, definition } = testCase
  return {
    test_case_definition_id: testCase.id,
    workspaceId: testCase.workspaceId,
    type: engine.kind,
    llm_id: engine.kind === 'llm' ? engine.id : null,
    conversation_flow_id: engine.kind === 'conversation-flow' ? engine.id : null,
    version: testCase.effectiveVersion,
    name: testCase.name,
    ...definition,
    created_at: new Date(testCase.createdAt).toISOString(),
    updated_at: new Date(testCase.updatedAt).toISOString(),
  }
}

function selectTestCases(reader: Reader) {
  return reader
    .selectFrom('test_cases')
    .innerJoin('resources', 'resources.resource_id', 'test_cases.engine_id')
    .selectAll('test_cases')
    .select(effectiveVersion.as('effective_version'))
}

function buildEngineCondition(kind: TestCaseType, engineId: string) {
  return sql<boolean>`(test_cases.engine_kind = ${kind} and test_cases.engine_id = ${engineId})`
}

function toStoredTestCase(row: JoinedRow): StoredTestCase {
  return {
    id: row.test_case_id,
    workspaceId: row.workspace_id,
    name: row.name,
    engine: { kind: row.engine_kind as TestCaseType, id: row.engine_id, version: row.engine_version },
    definition: JSON.parse(row.definition) as TestCaseDefinition,
    effectiveVersion: row.effective_version,
    editCount: row.edit_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function toContentColumns({ name, engine, definition }: TestCaseContent) {
  return {
    name,
    engine_kind: engine.kind,
    engine_id: engine.id,
    engine_version: engine.version,
    definition: JSON.stringify(definition),
  }
}
