import { isDeepStrictEqual } from 'node:util'
import type { WeightedAgent } from '@parley/contract/number-agent'
import type { NumberProvider } from '@parley/contract/phone-number'
import type { TimeRouting } from '@parley/contract/time-routing'
import { sql } from 'kysely'
import { type Page, type PageRequest, toPage } from '../../kernel/api/paging.ts'
import type { Database, Reader, Transaction } from '../../kernel/storage/database.ts'
import type { NumberAgentRow, PhoneNumberRow } from '../../tables/resource-tables.ts'
import { type NumberSettings, parseBaseNumber, type StoredNumber } from './stored-number.ts'

const INT32_MAX = 2_147_483_647

/** A number to create. */
export interface NewNumber {
  readonly workspaceId: number
  readonly number: string
  readonly baseNumber: string
  readonly provider: NumberProvider
  readonly nickname: string | null
  readonly applicationSid: string
  readonly phoneNumberSid: string
  readonly terminationUri: string | null
  /** Encrypted carrier credentials. */
  readonly credentials: string | null
  readonly importError: string | null
  readonly now: number
}

type JoinedRow = PhoneNumberRow & { account_sid: string } & {
  [Column in 'direction' | 'agent_id' | 'agent_version' | 'weight']: NumberAgentRow[Column] | null
}

/** Finds a number by its digits in the workspace's account. */
export async function findNumber(
  reader: Reader,
  workspaceId: number,
  baseNumber: string,
): Promise<StoredNumber | null> {
  const accountSidQuery = reader.selectFrom('workspaces').select('account_sid').where('workspace_id', '=', workspaceId)
  const query = selectNumbers(reader).where('base_number', '=', baseNumber).where('account_sid', '=', accountSidQuery)
  const [storedNumber] = await readNumbers(reader, query)
  return storedNumber ?? null
}

/**
 * Marks a number as verified and the same number in all other accounts as unverified. Changes nothing and returns false if the
 * operator verified the number for another account.
 */
export async function saveVerification(
  transaction: Transaction,
  { id, number }: Pick<StoredNumber, 'id' | 'number'>,
  verifiedBy: 'carrier' | 'operator',
): Promise<boolean> {
  const baseNumber = parseBaseNumber(number) ?? ''
  const registrations = await transaction
    .selectFrom('phone_numbers')
    .select(['number_id', 'verified_by'])
    .where('base_number', '=', baseNumber)
    .execute()
  // The number may have been deleted during the import.
  if (!registrations.some(({ number_id }) => number_id === id)) return false
  const verifiedRow = registrations.find(({ verified_by }) => verified_by !== null)
  if (verifiedRow?.verified_by === 'operator' && verifiedBy !== 'operator') return verifiedRow.number_id === id
  if (verifiedRow !== undefined && verifiedRow.number_id !== id) {
    await transaction
      .updateTable('phone_numbers')
      .set({ verified_by: null })
      .where('number_id', '=', verifiedRow.number_id)
      .execute()
  }
  await transaction.updateTable('phone_numbers').set({ verified_by: verifiedBy }).where('number_id', '=', id).execute()
  return true
}

/** Lists the numbers of a workspace, newest first. `agentId` limits the list to numbers that reference the agent. */
export async function listNumbers(
  reader: Reader,
  filter: { readonly workspaceId: number; readonly agentId?: string | undefined },
  { limit, after }: PageRequest,
): Promise<Page<StoredNumber>> {
  let query = selectNumbers(reader).where('phone_numbers.workspace_id', '=', filter.workspaceId)
  if (filter.agentId !== undefined) query = query.where(buildAgentCondition(filter.agentId))
  if (after !== null) query = query.where('number_id', '<', Math.min(after.sortValue, INT32_MAX))
  const numbers = await readNumbers(reader, query.orderBy('number_id', 'desc').limit(limit + 1))
  return toPage(
    numbers,
    limit,
    (number) => number,
    ({ id }) => ({ sortValue: id, id: String(id) }),
  )
}

/** Finds all numbers of the workspace that reference the agent. */
export async function findNumbersOfAgent(
  reader: Reader,
  workspaceId: number,
  agentId: string,
): Promise<readonly StoredNumber[]> {
  return await readNumbers(
    reader,
    selectNumbers(reader).where('phone_numbers.workspace_id', '=', workspaceId).where(buildAgentCondition(agentId)),
  )
}

/** Inserts a number with the next id. */
export async function insertNumber(transaction: Transaction, newNumber: NewNumber): Promise<void> {
  const { last_number_id } = await transaction
    .updateTable('number_counter')
    .set((column) => ({ last_number_id: column('last_number_id', '+', 1) }))
    .where('counter_id', '=', 1)
    .returning('last_number_id')
    .executeTakeFirstOrThrow()
  await transaction
    .insertInto('phone_numbers')
    .values({
      number_id: last_number_id,
      workspace_id: newNumber.workspaceId,
      number: newNumber.number,
      base_number: newNumber.baseNumber,
      verified_by: null,
      provider: newNumber.provider,
      nickname: newNumber.nickname,
      default_agent_id: null,
      application_sid: newNumber.applicationSid,
      phone_number_sid: newNumber.phoneNumberSid,
      inbound_webhook_url: null,
      is_time_routing_enabled: 0,
      time_routing: null,
      sticky: 1,
      fallback_number: null,
      termination_uri: newNumber.terminationUri,
      credentials: newNumber.credentials,
      import_error: newNumber.importError,
      edit_count: 1,
      created_at: newNumber.now,
      updated_at: newNumber.now,
    })
    .execute()
}

/** Stores an edited number and counts the edit. */
export async function saveNumber(
  transaction: Transaction,
  before: NumberSettings & Pick<StoredNumber, 'id'>,
  after: NumberSettings,
  now: number,
): Promise<void> {
  await transaction
    .updateTable('phone_numbers')
    .set((column) => ({
      workspace_id: after.workspaceId,
      nickname: after.nickname,
      default_agent_id: after.defaultAgentId,
      inbound_webhook_url: after.inboundWebhookUrl,
      is_time_routing_enabled: after.isTimeRoutingEnabled ? 1 : 0,
      time_routing: after.timeRouting === null ? null : JSON.stringify(after.timeRouting),
      sticky: after.sticky ? 1 : 0,
      fallback_number: after.fallbackNumber,
      edit_count: column('edit_count', '+', 1),
      updated_at: now,
    }))
    .where('number_id', '=', before.id)
    .execute()
  const rows = toAgentRows(before.id, after)
  if (isDeepStrictEqual(rows, toAgentRows(before.id, before))) return
  await transaction.deleteFrom('number_agents').where('number_id', '=', before.id).execute()
  if (rows.length > 0) await transaction.insertInto('number_agents').values(rows).execute()
}

/** Stores the result of an import. Does not count as an edit. */
export async function saveImportError(database: Database, numberId: number, importError: string | null): Promise<void> {
  const query = database.queryBuilder
    .updateTable('phone_numbers')
    .set({ import_error: importError })
    .where('number_id', '=', numberId)
    .compile()
  await database.batch([{ query }])
}

export async function removeNumber(transaction: Transaction, numberId: number): Promise<void> {
  await transaction.deleteFrom('number_agents').where('number_id', '=', numberId).execute()
  await transaction.deleteFrom('phone_numbers').where('number_id', '=', numberId).execute()
}

function selectNumbers(reader: Reader) {
  return reader
    .selectFrom('phone_numbers')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'phone_numbers.workspace_id')
    .selectAll('phone_numbers')
    .select('workspaces.account_sid')
}

/**
 * Builds the condition that a number references the agent. A text search in `time_routing` is exact, because the JSON contains
 * ids only as whole strings.
 */
function buildAgentCondition(agentId: string) {
  const pattern = `%${JSON.stringify(agentId).replace(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`(
    phone_numbers.number_id in (select number_agents.number_id from number_agents where number_agents.agent_id = ${agentId})
    or phone_numbers.default_agent_id = ${agentId}
    or phone_numbers.time_routing like ${pattern} escape '\\'
  )`
}

/** Reads selected numbers with their agents, newest first. */
async function readNumbers(reader: Reader, query: ReturnType<typeof selectNumbers>): Promise<StoredNumber[]> {
  const rows: readonly JoinedRow[] = await reader
    .selectFrom(query.as('numbers'))
    .leftJoin('number_agents', 'number_agents.number_id', 'numbers.number_id')
    .selectAll('numbers')
    .select([
      'number_agents.direction',
      'number_agents.agent_id',
      'number_agents.agent_version',
      'number_agents.weight',
    ])
    .orderBy('numbers.number_id', 'desc')
    .orderBy('number_agents.position')
    .execute()
  const rowsByNumber = Map.groupBy(rows, ({ number_id }) => number_id)
  return [...rowsByNumber.values()].flatMap((numberRows) =>
    numberRows[0] === undefined ? [] : [toStoredNumber(numberRows[0], numberRows)],
  )
}

function toStoredNumber(row: JoinedRow, rows: readonly JoinedRow[]): StoredNumber {
  const [outbound] = selectAgents(rows, 'outbound')
  return {
    id: row.number_id,
    workspaceId: row.workspace_id,
    accountSid: row.account_sid,
    number: row.number,
    provider: row.provider as NumberProvider,
    verifiedBy: row.verified_by as StoredNumber['verifiedBy'],
    nickname: row.nickname,
    inbound: selectAgents(rows, 'inbound'),
    outbound: outbound === undefined ? null : { agent_id: outbound.agent_id, agent_version: outbound.agent_version },
    defaultAgentId: row.default_agent_id,
    applicationSid: row.application_sid,
    phoneNumberSid: row.phone_number_sid,
    inboundWebhookUrl: row.inbound_webhook_url,
    isTimeRoutingEnabled: row.is_time_routing_enabled === 1,
    timeRouting: row.time_routing === null ? null : (JSON.parse(row.time_routing) as TimeRouting),
    sticky: row.sticky === 1,
    fallbackNumber: row.fallback_number,
    terminationUri: row.termination_uri,
    hasCredentials: row.credentials !== null,
    importError: row.import_error,
    editCount: row.edit_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function selectAgents(rows: readonly JoinedRow[], direction: string): readonly WeightedAgent[] {
  return rows.flatMap((row) =>
    row.direction === direction && row.agent_id !== null && row.weight !== null
      ? [{ agent_id: row.agent_id, agent_version: row.agent_version, weight: row.weight }]
      : [],
  )
}

function toAgentRows(number_id: number, { inbound, outbound }: NumberSettings): NumberAgentRow[] {
  const inboundRows = inbound.map((agent, position) => ({ ...agent, number_id, direction: 'inbound', position }))
  if (outbound === null) return inboundRows
  return [...inboundRows, { ...outbound, weight: 1, number_id, direction: 'outbound', position: 0 }]
}
