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
import type { CarrierImporter } from './carrier-import.ts'
import { decideBindings, describeAssignment, editNumber, toNumberAssignment, toPhoneNumber } from './decide-bindings.ts'
import { bindAgents, listAssignedAgents, listReferencedAgents } from './number-agent-removal.ts'
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
import { parseBaseNumber, type StoredNumber } from './stored-number.ts'

const CREDENTIALS_PURPOSE = 'number-credentials'
/** Stored until the carrier responds, so that a number never appears imported after a crash. */
const IMPORT_UNFINISHED = 'The import at the carrier has not finished. Assign agents to the number to repeat it.'

interface NumberServiceDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly makeUuid: () => string
  readonly secrets: Secrets
  readonly agents: AgentBinding
  readonly carriers: CarrierImporter
}

/** The number to change, in any format. `ifMatch` is the edit count that the caller expects, or null to accept any. */
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
  /** Assigns agents. Moves a number from another workspace of the account if the actor has access to both. */
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
      return { ...numberPage, items: numberPage.items.map(toPhoneNumber) }
    },

    get: async (workspaceId, number) => attachEditCount(await findInWorkspace(database.read, workspaceId, number)),

    update: ({ workspaceId, number, ifMatch }, body) =>
      database.transaction(async (transaction) => {
        const current = await findInWorkspace(transaction, workspaceId, number)
        checkEditCount(toResource(number), ifMatch, current.editCount)
        const editedNumber = editNumber(current, body)
        if (editedNumber.fallbackNumber === current.number)
          throw invalidField('fallback_number', 'must be another number')
        const now = clock.now()
        await bindAgents(transaction, agents, { workspaceId, requestedAgents: listReferencedAgents(body), now })
        return attachEditCount(await saveEdit(transaction, { before: current, after: editedNumber, now }))
      }),

    remove: ({ workspaceId, number, ifMatch }) =>
      database.transaction(async (transaction) => {
        const current = await findInWorkspace(transaction, workspaceId, number)
        checkEditCount(toResource(number), ifMatch, current.editCount)
        await removeNumber(transaction, current.id)
      }),

    verify: (workspaceId, number) =>
      database.transaction(async (transaction) => {
        const current = await findInWorkspace(transaction, workspaceId, number)
        await saveVerification(transaction, current, 'operator')
        return toPhoneNumber({ ...current, verifiedBy: 'operator' })
      }),

    assign: (target, body) => assignAgents(dependencies, target, body),
  }
}

async function addNumber(
  dependencies: NumberServiceDependencies,
  newNumber: Pick<NewNumber, 'workspaceId' | 'number' | 'provider' | 'nickname' | 'terminationUri' | 'credentials'>,
): Promise<WithEditCount<PhoneNumber>> {
  const { database, makeUuid, clock } = dependencies
  const storedNumber = await database.transaction(async (transaction) => {
    const baseNumber = parseBaseNumber(newNumber.number) ?? ''
    if ((await findNumber(transaction, newNumber.workspaceId, baseNumber)) !== null)
      throw createNumberTakenError(newNumber.number)
    await insertNumber(transaction, {
      ...newNumber,
      baseNumber,
      applicationSid: makeUuid(),
      phoneNumberSid: makeUuid(),
      importError: IMPORT_UNFINISHED,
      now: clock.now(),
    })
    return await findInWorkspace(transaction, newNumber.workspaceId, newNumber.number)
  })
  return attachEditCount(await retryImport(dependencies, storedNumber))
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
  checkAccount(actor, workspaceId, body.accountSid)
  const { before, after } = await database.transaction(async (transaction) => {
    const current = await findInTenant(transaction, workspaceId, number)
    if (!canMoveNumber(actor, current, workspaceId)) throw createNotFoundError(number)
    checkEditCount(toResource(number), ifMatch, current.editCount)
    const updatedNumber = decideBindings(current, { ...body, workspaceId })
    const requestedAgents = listAssignedAgents(body, updatedNumber)
    const now = clock.now()
    await bindAgents(transaction, agents, { workspaceId, requestedAgents, now })
    return { before: current, after: await saveEdit(transaction, { before: current, after: updatedNumber, now }) }
  })
  const importedNumber = await retryImport(dependencies, after)
  const assignment: NumberAssigned = {
    success: true,
    message: describeAssignment(before, importedNumber),
    numbers: [toPhoneNumber(importedNumber)],
    assignment: toNumberAssignment(importedNumber),
  }
  return { response: assignment, editCount: importedNumber.editCount }
}

async function findInTenant(reader: Reader, workspaceId: number, number: string): Promise<StoredNumber> {
  const baseNumber = parseBaseNumber(number)
  const storedNumber = baseNumber === null ? null : await findNumber(reader, workspaceId, baseNumber)
  if (storedNumber === null) throw createNotFoundError(number)
  return storedNumber
}

/**
 * Retries a failed import. Does nothing if the number is imported. Runs outside a transaction, because it calls the carrier.
 */
async function retryImport(
  { database, carriers }: Pick<NumberServiceDependencies, 'database' | 'carriers'>,
  storedNumber: StoredNumber,
): Promise<StoredNumber> {
  if (storedNumber.importError === null) return storedNumber
  const { workspaceId, number, provider, terminationUri } = storedNumber
  const { error, isConfirmed } = await carriers.importNumber({ workspaceId, number, provider, terminationUri })
  if (error !== storedNumber.importError) await saveImportError(database, storedNumber.id, error)
  const isVerified =
    isConfirmed && (await database.transaction((transaction) => saveVerification(transaction, storedNumber, 'carrier')))
  const verifiedBy = isVerified && storedNumber.verifiedBy !== 'operator' ? 'carrier' : storedNumber.verifiedBy
  return { ...storedNumber, importError: error, verifiedBy }
}

function checkAccount(actor: Actor, workspaceId: number, accountSid: string | null | undefined): void {
  if (accountSid === undefined || accountSid === null) return
  if (actor.workspaces.get(workspaceId)?.accountSid === accountSid) return
  throw invalidField('accountSid', `must be the account that owns workspace ${workspaceId}`)
}

/**
 * Whether the actor may move a number to the workspace. Both workspaces must belong to the same account, and the actor needs
 * write access to the current one.
 */
function canMoveNumber(actor: Actor, { workspaceId, accountSid }: StoredNumber, targetWorkspaceId: number): boolean {
  if (workspaceId === targetWorkspaceId) return true
  return (
    actor.workspaces.get(targetWorkspaceId)?.accountSid === accountSid && hasWorkspaceLevel(actor, 'write', workspaceId)
  )
}

function attachEditCount(storedNumber: StoredNumber): WithEditCount<PhoneNumber> {
  return { response: toPhoneNumber(storedNumber), editCount: storedNumber.editCount }
}

const toResource = (number: string) => ({ kind: 'phone number', id: number })
const createNotFoundError = (number: string): AppError => notFound('phone number', number)

function createNumberTakenError(number: string): AppError {
  const message = 'is taken: an account can have a number only once'
  return new AppError('id_taken', `The phone number ${number} ${message}.`, { details: [{ path: 'number', message }] })
}
