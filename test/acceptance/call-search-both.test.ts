import { CALL_SORTS, type CallSort } from '@parley/contract/call-history'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listHiddenValues, parseSearchTerm } from '../../packages/server/src/features/calls/call-filter.ts'
import { type CallService, createCallService } from '../../packages/server/src/features/calls/call-service.ts'
import { RECORDS_ONLY } from '../../packages/server/src/features/calls/call-test-kit.ts'
import type { Database } from '../../packages/server/src/kernel/storage/database.ts'
import { findPostgres, startPrivatePostgres } from '../../testing/private-postgres.ts'
import { type SeededCall, seedCalls } from '../../testing/seed-calls.ts'
import { seedWorkspaces } from '../../testing/seed-workspaces.ts'
import { temporarySqliteDatabase } from '../../testing/temporary-database.ts'
import { temporaryPostgresDatabase } from '../../testing/temporary-postgres-database.ts'

const DAY_MS = 86_400_000
const START_MS = Date.UTC(2026, 0, 1)
const WORKSPACE_IDS = [1, 2, 3]

/** Letters with several forms, pattern and query syntax, and characters outside the Basic Multilingual Plane. */
const TEXT_FRAGMENTS = [
  ...[
    'Ann',
    'ANN',
    'ann lee',
    'ÉLODIE',
    'élodie',
    'E\u0301lodie',
    'Straße',
    'STRASSE',
    'ẞ',
    'ΣΑΣ',
    'σας',
    'Жанна',
    'жАННА',
  ],
  ...[
    '\u017fam',
    'Sam',
    '\u212aim',
    'Kim',
    'İstanbul',
    'ıstanbul',
    'Ǆ',
    'ǅ',
    'µm',
    'Ωmega',
    'ωmega',
    '李雷',
    '🙂🙃',
    'ﬁ',
  ],
  ...['100%', '_b_', 'back\\slash', '"quoted"', "O'Hara", 'a OR b', 'NEAR(', 'words : x', '*', '+1415', '5550', ' '],
  ...['call_', 'll_', '_3f', 'CA77', '0f', 'Desk', 'desk 1', '\u{e001}', 'Ა', 'Ꭰ', 'ꭰ', '\u00ad'],
]

/** Identical in every run. */
function corpus(): readonly SeededCall[] {
  let state = 7
  const below = (bound: number): number => {
    state = (state * 48_271) % 2_147_483_647
    return state % bound
  }
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item
  return Array.from({ length: 400 }, (_, index) => ({
    call_id: `call_${Array.from({ length: 26 }, () => below(16).toString(16)).join('')}`,
    workspace_id: pick(WORKSPACE_IDS),
    agent_id: `agent_${below(4)}`,
    agent_version: 1 + below(2),
    agent_name: pick(['Desk 1', 'desk ÉÉ', 'Night_shift 100%', 'Σas', '']),
    status: pick(['ongoing', 'ended', 'error']),
    // Distinct times, so that the order is unique.
    created_at: START_MS + index * 7_000_001,
    customer_name: pick([
      null,
      `${pick(TEXT_FRAGMENTS)}${pick(TEXT_FRAGMENTS)}`,
      `${pick(TEXT_FRAGMENTS)} ${pick(TEXT_FRAGMENTS)}`,
    ]),
    from_number: pick([null, `+1415555${below(10_000)}`]),
    to_number: `+18005550${below(100)}`,
    call_sid: pick([null, `CA${below(1e9).toString(16)}`]),
    archived_at: pick([null, null, 1]),
    parent_call_id: pick([null, null, 'call_parent']),
    duration_ms: pick([null, below(5), below(100_000)]),
    cost_total: pick([null, below(5), below(100_000)]),
    latency: pick(['{}', '{"e2e":null}', `{"e2e":{"p50":${below(5)}}}`, `{"e2e":{"p50":${below(3_000)}.5}}`]),
  }))
}

const calls = corpus()
const texts = calls.flatMap((call) =>
  [call.call_id, call.customer_name, call.customer_name, call.agent_name, call.from_number, call.call_sid].filter(
    (text) => typeof text === 'string',
  ),
)

/** Part of a text of a call. */
const partArbitrary = fc
  .tuple(fc.constantFrom(...texts), fc.nat(20), fc.integer({ min: 2, max: 9 }))
  .map(([text, from, length]) => {
    const letters = [...text]
    return letters
      .slice(Math.min(from, Math.max(0, letters.length - length)))
      .slice(0, length)
      .join('')
  })

/** Mostly existing words in random case; sometimes words that may not exist. */
const searchArbitrary = fc.oneof(
  { weight: 8, arbitrary: partArbitrary },
  { weight: 3, arbitrary: fc.constantFrom(...TEXT_FRAGMENTS) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...TEXT_FRAGMENTS), fc.constantFrom(...TEXT_FRAGMENTS))
      .map((both) => both.join('')),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }) },
)
const caseArbitrary = fc.constantFrom(
  (text: string) => text,
  (text: string) => text.toUpperCase(),
  (text: string) => text.toLowerCase(),
)

/** Mostly absent, so that filters do not exclude all matches. */
const rarely = <Value>(...values: readonly Value[]) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom(...values) })
const filterArbitrary = fc.record({
  workspaceIds: fc.constantFrom(
    [1],
    [1, 3],
    [1, 2, 3],
    [1, 2, ...Array.from({ length: 150 }, (_, index) => 10 + index)],
  ),
  agentId: rarely('agent_1', 'agent_none'),
  agentVersion: rarely(1),
  status: rarely('ended', 'error'),
  createdFrom: rarely(START_MS + 9 * DAY_MS),
  createdTo: rarely(START_MS + 20 * DAY_MS),
  hidden: fc.record({ archived: fc.boolean(), children: fc.boolean() }).map(listHiddenValues),
})
const pageArbitrary = fc.record({ page: fc.constantFrom(1, 1, 1, 2, 3), limit: fc.constantFrom(1, 7, 100) })

describe.skipIf(findPostgres() === null)('a search finds the same on both databases', () => {
  const opened = new AsyncDisposableStack()
  const kinds: { readonly name: string; readonly sqlite: CallService; readonly postgres: CallService }[] = []

  beforeAll(async () => {
    const server = opened.use(await startPrivatePostgres())
    const sqlite = opened.use(await temporarySqliteDatabase())
    const postgres = opened.use(await temporaryPostgresDatabase(server.url))
    for (const database of [sqlite, postgres]) {
      await seedWorkspaces(database, WORKSPACE_IDS)
      await seedCalls(database, calls)
    }
    expect(postgres.capabilities.trigramOperators).toBe(true)
    const createService = (database: Database) =>
      createCallService({ database, clock: { scope: 'installation', now: () => 0 }, ...RECORDS_ONLY })
    const createScanningService = ({ read, transaction, capabilities }: Database) =>
      createCallService({
        database: {
          read,
          transaction,
          capabilities: { ...capabilities, trigramIndex: false, trigramOperators: false },
        },
        clock: { scope: 'installation', now: () => 0 },
        ...RECORDS_ONLY,
      })
    kinds.push({ name: 'indexed', sqlite: createService(sqlite), postgres: createService(postgres) })
    kinds.push({ name: 'scanned', sqlite: createScanningService(sqlite), postgres: createScanningService(postgres) })
  })
  afterAll(() => opened.disposeAsync())

  test.each(['indexed', 'scanned'])('%s', async (kind) => {
    const services = kinds.find(({ name }) => name === kind)
    if (services === undefined) throw new Error(`There is no ${kind}.`)
    // Conclusive runs: some but not all calls match, by this kind of search.
    const meaningful = { runs: 0, beyondAscii: 0 }
    await fc.assert(
      fc.asyncProperty(
        searchArbitrary,
        caseArbitrary,
        filterArbitrary,
        pageArbitrary,
        fc.constantFrom<CallSort>('-created', '-created', '-created', ...CALL_SORTS),
        async (part, changeCase, filter, page, sort) => {
          // The contract excludes NUL characters.
          const text = changeCase(part).replaceAll('\0', '')
          const sqliteResult = await services.sqlite.searchHistory(filter, { text, sort }, page)
          const postgresResult = await services.postgres.searchHistory(filter, { text, sort }, page)
          expect(postgresResult).toEqual(sqliteResult)
          const { kind: searchKind } = parseSearchTerm(text)
          if (searchKind === 'everything' || (kind === 'indexed' && searchKind !== 'indexed')) return
          if (sqliteResult.total === 0 || sqliteResult.total === calls.length) return
          meaningful.runs += 1
          if (/\P{ASCII}/u.test(text)) meaningful.beyondAscii += 1
        },
      ),
      { numRuns: 1_500, seed: 20_260 },
    )
    expect(meaningful.runs).toBeGreaterThan(400)
    expect(meaningful.beyondAscii).toBeGreaterThan(100)
  })
})
