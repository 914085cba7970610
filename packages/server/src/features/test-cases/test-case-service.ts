import { isDeepStrictEqual } from 'node:util'
import type { CreateTestCaseBody, TestCase, UpdateTestCaseBody } from '@parley/contract/test-case'
import type { Clock, MakeId } from '@parley/engine/ports'
import { checkEditCount, type EditTarget, type WithEditCount } from '../../kernel/api/edits.ts'
import type { Page, PageRequest } from '../../kernel/api/paging.ts'
import { AppError, invalidField, notFound } from '../../kernel/errors.ts'
import type { Database, Reader, Transaction } from '../../kernel/storage/database.ts'
import type { EngineSource, EngineUsers, StoredEngineKind } from '../engines/public.ts'
import { defineTestCase, ENGINE_FIELDS, editTestCase, type TestedEngine } from './test-case-definition.ts'
import {
  findEngineTestCases,
  findTestCase,
  insertTestCase,
  listTestCases,
  removeTestCase,
  type StoredTestCase,
  saveTestCase,
  type TestCaseFilter,
  toTestCase,
} from './test-case-store.ts'

/** Keeps error messages short. An engine may have thousands of test cases. */
const MAX_REPORTED_TEST_CASES = 20

/** Creates the lookup that finds the test cases that use an engine. */
export function createTestCaseEngineUsers(): EngineUsers {
  return {
    findUsers: (reader, workspaceId, engineId) =>
      findEngineTestCases(reader, { workspaceId, engineId, limit: MAX_REPORTED_TEST_CASES }),
  }
}

interface TestCaseServiceDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly makeId: MakeId
  readonly engines: Readonly<Record<StoredEngineKind, Pick<EngineSource, 'find'>>>
}

export interface TestCaseService {
  create(workspaceId: number, body: CreateTestCaseBody): Promise<WithEditCount<TestCase>>
  list(filter: TestCaseFilter, page: PageRequest): Promise<Page<TestCase>>
  get(workspaceId: number, id: string): Promise<WithEditCount<TestCase>>
  update(target: EditTarget, body: UpdateTestCaseBody): Promise<WithEditCount<TestCase>>
  remove(target: EditTarget): Promise<void>
}

const RESOURCE_NAME = 'test case definition'

export function createTestCaseService(dependencies: TestCaseServiceDependencies): TestCaseService {
  const { database, clock, makeId, engines } = dependencies

  return {
    create: (workspaceId, body) =>
      database.transaction(async (transaction) => {
        const content = defineTestCase(body)
        await checkEngine(engines, transaction, { workspaceId, ...content.engine })
        const id = body.test_case_definition_id ?? makeId('test_case')
        const isNew = await insertTestCase(transaction, { id, workspaceId, now: clock.now() }, content)
        if (!isNew) throw createIdTakenError(id)
        return attachEditCount(await requireTestCase(transaction, workspaceId, id))
      }),

    async list(filter, page) {
      const testCasePage = await listTestCases(database.read, filter, page)
      return { ...testCasePage, items: testCasePage.items.map(toTestCase) }
    },

    get: async (workspaceId, id) => attachEditCount(await requireTestCase(database.read, workspaceId, id)),

    update: (target, body) =>
      database.transaction(async (transaction) => {
        const current = await findTestCaseForEdit(transaction, target)
        const content = editTestCase(current, body)
        const { name, engine, definition } = current
        if (isDeepStrictEqual(content, { name, engine, definition })) return attachEditCount(current)
        if (!isDeepStrictEqual(content.engine, engine)) {
          await checkEngine(engines, transaction, { workspaceId: target.workspaceId, ...content.engine })
        }
        await saveTestCase(transaction, { id: target.id, now: clock.now() }, content)
        return attachEditCount(await requireTestCase(transaction, target.workspaceId, target.id))
      }),

    remove: (target) =>
      database.transaction(async (transaction) => {
        await findTestCaseForEdit(transaction, target)
        await removeTestCase(transaction, target.id)
      }),
  }
}

async function requireTestCase(reader: Reader, workspaceId: number, id: string): Promise<StoredTestCase> {
  const testCase = await findTestCase(reader, workspaceId, id)
  if (testCase === null) throw notFound(RESOURCE_NAME, id)
  return testCase
}

async function findTestCaseForEdit(transaction: Transaction, target: EditTarget): Promise<StoredTestCase> {
  const testCase = await requireTestCase(transaction, target.workspaceId, target.id)
  checkEditCount({ kind: RESOURCE_NAME, id: target.id }, target.ifMatch, testCase.editCount)
  return testCase
}

/** Throws if the workspace does not have the engine or version. */
async function checkEngine(
  engines: TestCaseServiceDependencies['engines'],
  reader: Reader,
  { workspaceId, kind, id, version }: TestedEngine & { readonly workspaceId: number },
): Promise<void> {
  const latestEngine = await engines[kind].find(reader, workspaceId, id, 'latest')
  if (latestEngine === null) throw invalidField(ENGINE_FIELDS[kind], `no ${kind} "${id}" exists in this workspace`)
  if (version === null || version === latestEngine.version) return
  if ((await engines[kind].find(reader, workspaceId, id, version)) !== null) return
  throw invalidField(
    'version',
    `no version ${version} of ${kind} "${id}" exists; the newest is ${latestEngine.version}`,
  )
}

function attachEditCount(testCase: StoredTestCase): WithEditCount<TestCase> {
  return { response: toTestCase(testCase), editCount: testCase.editCount }
}

function createIdTakenError(id: string): AppError {
  const message = 'is taken: choose another id or leave it out'
  return new AppError('id_taken', `The test case definition id "${id}" ${message}.`, {
    details: [{ path: 'test_case_definition_id', message }],
  })
}
