import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type TemporaryDatabase, temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { VersionStore } from './version-store.ts'
import { buildEditedVersion, buildInsertedVersion, decideEdit } from './versions.ts'

interface Note {
  readonly text: string
}

const store = new VersionStore<Note>('agent')

async function openStore(): Promise<TemporaryDatabase> {
  const database = await temporaryDatabase()
  await database.batch([
    {
      query: database.queryBuilder
        .insertInto('tenants')
        .values({ account_sid: 't', provider_id: 'provider', account_path: '/', name: 't', created_at: 1 })
        .compile(),
    },
    {
      query: database.queryBuilder
        .insertInto('workspaces')
        .values({
          workspace_id: 1,
          account_sid: 't',
          name: 'w',
          native_transfer_enabled: 0,
          concurrency_base: 1,
          concurrency_purchased: 0,
          concurrency_purchase_limit: 0,
          created_at: 1,
        })
        .compile(),
    },
  ])
  return database
}

async function insert(database: TemporaryDatabase, id: string, text = 'first') {
  const resource = { id, workspaceId: 1, now: 1 }
  await database.transaction((transaction) => store.insert(transaction, resource, { definition: { text } }))
  return buildInsertedVersion(resource, { definition: { text } })
}

describe('version store', () => {
  test('finds inserted versions by each selector, only in their workspace and kind', async () => {
    await using database = await openStore()
    const insertedVersion = await insert(database, 'a')
    for (const selector of ['active', 'latest', 1] as const) {
      expect(await store.find(database.read, 1, 'a', selector)).toEqual(insertedVersion)
      expect(await store.find(database.read, 2, 'a', selector)).toBeNull()
      expect(await new VersionStore('llm').find(database.read, 1, 'a', selector)).toBeNull()
    }
    expect(await store.find(database.read, 1, 'a', 2)).toBeNull()
  })

  test('predicts the stored result of each edit', async () => {
    await using database = await openStore()
    let count = 0
    const step = fc.oneof(
      fc.constant({ type: 'edit' } as const),
      fc.record({ type: fc.constantFrom('freeze', 'publish', 'activate'), back: fc.integer({ min: 0, max: 2 }) }),
      fc.constant({ type: 'clear' } as const),
    )
    const run = async (steps: readonly { type: string; back?: number }[]): Promise<void> => {
      count += 1
      const id = `agent_${count}`
      let newest = await insert(database, id)
      for (const [index, { type, back = 0 }] of steps.entries()) {
        const now = index + 2
        const target = { id, version: Math.max(1, newest.version - back), now }
        await database.transaction(async (transaction) => {
          if (type === 'clear') await store.activate(transaction, { id, version: null, now })
          if (type === 'activate') await store.activate(transaction, target)
          if (type === 'freeze' || type === 'publish') await store.freeze(transaction, target, null)
          if (type === 'publish') await store.publish(transaction, target, { title: `title ${index}` })
          if (type !== 'edit') return
          const decision = decideEdit(newest, undefined)
          const content = { definition: { text: `text ${index}` } }
          const editTarget = { id, version: decision.version, now }
          if (decision.type === 'edit-draft') await store.updateDraft(transaction, editTarget, content)
          else await store.insertNext(transaction, editTarget, content)
          newest = buildEditedVersion(newest, editTarget, content)
          expect(await store.find(transaction, 1, id, 'latest')).toEqual(newest)
        })
        newest = (await store.find(database.read, 1, id, 'latest')) ?? newest
        expect((await store.find(database.read, 1, id, 'active'))?.version).toBe(newest.activeVersion)
      }
      const outlines = await store.listVersions(database.read, 1, id)
      const { definition: _definition, engine: _engine, ...outline } = newest
      expect(outlines[0]).toEqual(outline)
      expect(outlines.map(({ version }) => version)).toEqual(outlines.map((_, index) => newest.version - index))
    }
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 8 }), run), { numRuns: 30 })
  })
})
