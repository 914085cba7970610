import { isDeepStrictEqual } from 'node:util'
import type {
  AssignNumberAgentsBody,
  CreateNumberBody,
  ImportNumberBody,
  NumberAssigned,
  PhoneNumber,
  UpdateNumberBody,
} from '@parley/contract/phone-number'
import type { Clock } from '@parley/engine/ports'
import { type Actor, hasWorkspaceLevel } from '../../kernel/access/actor.ts'
import { checkEditCount, type WithEditCount } from '../../kernel/api/edits.ts'
import type { Page, PageRequest } from '../../kernel/api/paging.ts'
import { AppError, invalidField, notFound } from '../../kernel/errors.ts'
import type { Secrets } from '../../kernel/security/secrets.ts'
import type { Database, Reader, Transaction } from '../../kernel/storage/database.ts'
import type { AgentBinding } from '../agents/public.ts'
import type { CarrierImport } from './carrier-import.ts'
import {
  decideBindings,
  deriveAssignment,
  deriveNumberRecord,
  describeAssignment,
  editNumber,
} from './decide-bindings.ts'
import { bindAgents, listAssignedAgents, listUpdatedAgents } from './number-agent-removal.ts'
import {
  findNumber,
  insertNumber,
  listNumbers,
  type NewNumber,
  removeNumber,
  saveImportError,
  saveNumber,
  saveVerification,
} from './number-store.ts'
import { readBaseNumber, type StoredNumber } from './stored-number.ts'

const CREDENTIALS_PURPOSE = 'number-credentials'
/** Stored until the carrier responds, so that a number never appears imported after a crash. */
const IMPORT_UNFINISHED = 'The import at the carrier has not finished. Assign agents to the number to repeat it.'

interface NumberServiceDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly makeUuid: () => string
  readonly secrets: Secrets
  readonly agents: AgentBinding
  readonly carriers: CarrierImport
}

/** The number to change, in any notation. `ifMatch` is the edit count that the caller expects, or null to accept any. */
interface NumberTarget {
  readonly workspaceId: number
  readonly number: string
  readonly ifMatch: number | null
}

export interface NumberService {
  create(workspaceId: number, body: CreateNumberBody): Promise<WithEditCount<PhoneNumber>>
  import(workspaceId: number, body: ImportNumberBody): Promise<WithEditCount<PhoneNumber>>
  list(
    filter: { readonly workspaceId: number; readonly agentId?: string | undefined },
    page: PageRequest,
  ): Promise<Page<PhoneNumber>>
  get(workspaceId: number, number: string): Promise<WithEditCount<PhoneNumber>>
  update(target: NumberTarget, body: UpdateNumberBody): Promise<WithEditCount<PhoneNumber>>
  remove(target: NumberTarget): Promise<void>
  /** Marks a number as verified by the operator. */
  verify(workspaceId: number, number: string): Promise<PhoneNumber>
  /** Binds agents. The actor's rights decide from which workspaces a number may move. */
  assign(
    target: NumberTarget & { readonly actor: Actor },
    body: AssignNumberAgentsBody,
  ): Promise<WithEditCount<NumberAssigned>>
}

export function createNumberService(dependencies: NumberServiceDependencies): NumberService {
  const { database, clock, secrets, agents } = dependencies

  return {
    create: (workspaceId, { number, provider, nickname }) =>
      addNumber(dependencies, { workspaceId, number, provider, nickname, terminationUri: null, credentials: null }),

    import(workspaceId, { number, provider, nickname, terminationUri, authUsername, authPassword }) {
      const credentials =
        authUsername === null || authPassword === null
          ? null
          : secrets.encrypt(JSON.stringify({ username: authUsername, password: authPassword }), CREDENTIALS_PURPOSE)
      return addNumber(dependencies, { workspaceId, number, provider, nickname, terminationUri, credentials })
    },

    async list(filter, page) {
      const numberPage = await listNumbers(database.read, filter, page)
      return { ...numberPage, items: numberPage.items.map(deriveNumberRecord) }
    },

    get: async (workspaceId, number) => attachEditCount(await findInWorkspace(database.read, workspaceId, number)),

    update: ({ workspaceId, number, ifMatch }, body) =>
      database.transaction(async (transaction) => {
        const current = await findInWorkspace(transaction, workspaceId, number)
        checkEditCount(numberName(number), ifMatch, current.editCount)
        const edited = editNumber(current, body)
        if (edited.fallbackNumber === current.number) throw invalidField('fallback_number', 'must be another number')
        const now = clock.now()
        await bindAgents(transaction, agents, { workspaceId, named: listUpdatedAgents(body), now })
        return attachEditCount(await saveEdit(transaction, { before: current, after: edited, now }))
      }),

    remove: ({ workspaceId, number, ifMatch }) =>
      database.transaction(async (transaction) => {
        const current = await findInWorkspace(transaction, workspaceId, number)
        checkEditCount(numberName(number), ifMatch, current.editCount)
        await removeNumber(transaction, current.id)
      }),

    verify: (workspaceId, number) =>
      database.transaction(async (transaction) => {
        const current = await findInWorkspace(transaction, workspaceId, number)
        await saveVerification(transaction, current, 'operator')
        return deriveNumberRecord({ ...current, verifiedBy: 'operator' })
      }),

    assign: (target, body) => assignAgents(dependencies, target, body),
  }
}

async function addNumber(
  dependencies: NumberServiceDependencies,
  added: Pick<NewNumber, 'workspaceId' | 'number' | 'provider' | 'nickname' | 'terminationUri' | 'credentials'>,
): Promise<WithEditCount<PhoneNumber>> {
  const { database, makeUuid, clock } = dependencies
  const stored = await database.transaction(async (transaction) => {
    const baseNumber = readBaseNumber(added.number) ?? ''
    if ((await findNumber(transaction, added.workspaceId, baseNumber)) !== null)
      throw createNumberTakenError(added.number)
    await insertNumber(transaction, {
      ...added,
      baseNumber,
      applicationSid: makeUuid(),
      phoneNumberSid: makeUuid(),
      importError: IMPORT_UNFINISHED,
      now: clock.now(),
    })
    return await findInWorkspace(transaction, added.workspaceId, added.number)
  })
  return attachEditCount(await repeatImport(dependencies, stored))
}

/** Stores an edit if it changes anything. Returns the resulting number. */
async function saveEdit(
  transaction: Transaction,
  { before, after, now }: { readonly before: StoredNumber; readonly after: StoredNumber; readonly now: number },
): Promise<StoredNumber> {
  if (isDeepStrictEqual(before, after)) return before
  await saveNumber(transaction, before, after, now)
  return { ...after, editCount: before.editCount + 1, updatedAt: now }
}

async function findInWorkspace(reader: Reader, workspaceId: number, number: string): Promise<StoredNumber> {
  const storedNumber = await findInTenant(reader, workspaceId, number)
  if (storedNumber.workspaceId !== workspaceId) throw createNotFoundError(number)
  return storedNumber
}

async function assignAgents(
  dependencies: NumberServiceDependencies,
  { workspaceId, number, ifMatch, actor }: NumberTarget & { readonly actor: Actor },
  body: AssignNumberAgentsBody,
): Promise<WithEditCount<NumberAssigned>> {
  const { database, agents, clock } = dependencies
  checkTenant(actor, workspaceId, body.accountSid)
  const { before, after } = await database.transaction(async (transaction) => {
    const current = await findInTenant(transaction, workspaceId, number)
    if (!canMoveFrom(actor, current, workspaceId)) throw createNotFoundError(number)
    checkEditCount(numberName(number), ifMatch, current.editCount)
    const decided = decideBindings(current, { ...body, workspaceId })
    const named = listAssignedAgents(body, decided)
    const now = clock.now()
    await bindAgents(transaction, agents, { workspaceId, named, now })
    return { before: current, after: await saveEdit(transaction, { before: current, after: decided, now }) }
  })
  const imported = await repeatImport(dependencies, after)
  const assignment: NumberAssigned = {
    success: true,
    message: describeAssignment(before, imported),
    numbers: [deriveNumberRecord(imported)],
    assignment: deriveAssignment(imported),
  }
  return { response: assignment, editCount: imported.editCount }
}

async function findInTenant(reader: Reader, workspaceId: number, number: string): Promise<StoredNumber> {
  const baseNumber = readBaseNumber(number)
  const baseRecord = baseNumber === null ? null : await findNumber(reader, workspaceId, baseNumber)
  if (baseRecord === null) throw createNotFoundError(number)
  return baseRecord
}

/**
 * Repeats a failed import. Runs outside of transactions, because the carrier is called. Does nothing if the number is imported.
 */
async function repeatImport(
  { database, carriers }: Pick<NumberServiceDependencies, 'database' | 'carriers'>,
  stored: StoredNumber,
): Promise<StoredNumber> {
  if (stored.importError === null) return stored
  const { workspaceId, number, provider, terminationUri } = stored
  const { error, isConfirmed } = await carriers.importNumber({ workspaceId, number, provider, terminationUri })
  if (error !== stored.importError) await saveImportError(database, stored.id, error)
  const isVerified = isConfirmed && (await database.transaction((unit) => saveVerification(unit, stored, 'carrier')))
  const verifiedBy = isVerified && stored.verifiedBy !== 'operator' ? 'carrier' : stored.verifiedBy
  return { ...stored, importError: error, verifiedBy }
}

function checkTenant(actor: Actor, workspaceId: number, accountSid: string | null | undefined): void {
  if (accountSid === undefined || accountSid === null) return
  if (actor.workspaces.get(workspaceId)?.accountSid === accountSid) return
  throw invalidField('accountSid', `must be the account that owns workspace ${workspaceId}`)
}

/**
 * Whether a number may move to the workspace: both workspaces belong to the same account and the actor may change both. Other
 * numbers count as unknown.
 */
function canMoveFrom(actor: Actor, { workspaceId, accountSid }: StoredNumber, targetId: number): boolean {
  if (workspaceId === targetId) return true
  return actor.workspaces.get(targetId)?.accountSid === accountSid && hasWorkspaceLevel(actor, 'write', workspaceId)
}

function attachEditCount(stored: StoredNumber): WithEditCount<PhoneNumber> {
  return { response: deriveNumberRecord(stored), editCount: stored.editCount }
}

const numberName = (number: string) => ({ kind: 'phone number', id: number })
const createNotFoundError = (number: string): AppError => notFound('phone number', number)

function createNumberTakenError(number: string): AppError {
  const message = 'is taken: an account can have a number only once'
  return new AppError('id_taken', `The phone number ${number} ${message}.`, { details: [{ path: 'number', message }] })
}
