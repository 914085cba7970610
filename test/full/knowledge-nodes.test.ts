import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import type { Passage } from '@parley/contract/knowledge-passage'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import type { RunningServer } from '../../testing/running-server.ts'
import { complete, expectBody, readChat, remove, send } from '../../testing/server-test.ts'
import { startWebsite, type Website } from '../../testing/website-server/website-server.ts'
import { BASES, createBase, createChatOnBases, search } from '../e2e/knowledge/knowledge-test-kit.ts'
import { type Cluster, eventually, hasPostgres, startCluster } from './cluster.ts'
import { waitUntilRead } from './knowledge-scene.ts'

const CHANGES = Number(process.env.CHANGES ?? 30)
/** `SEED` repeats the changes. */
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const READ_WITHIN_MS = 60_000
const VISIBILITY_TIMEOUT_MS = 2_000

interface Scene {
  readonly cluster: Cluster
  readonly website: Website
  readonly stack: AsyncDisposableStack
}

const page = (title: string, text: string): string =>
  `<!doctype html><html><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${text}</p></main></body></html>`

describe.skipIf(!hasPostgres)('knowledge bases on two nodes', () => {
  let opening: Promise<Scene> | undefined

  async function open(): Promise<Scene> {
    opening ??= (async () => {
      const stack = new AsyncDisposableStack()
      const website = stack.use(await startWebsite())
      const env = { ALLOW_PRIVATE_TARGETS: `127.0.0.1:${website.port}` }
      return { website, cluster: stack.use(await startCluster({ env })), stack }
    })()
    return await opening
  }

  afterAll(async () => {
    if (opening !== undefined) await (await opening).stack.disposeAsync()
  })

  test('deletions and additions on one node take effect on the other', {
    timeout: 120_000,
  }, async () => {
    const { nodes } = (await open()).cluster
    const base = await addTexts(nodes[0], await createBase(nodes[0]), ['The harbour office opens at seven.'])
    const chatId = await createChatOnBases(nodes[1], [base])
    const visibleAfterMs: number[] = []
    for (let round = 0; round < 8; round += 1) {
      const [here, there] = round % 2 === 0 ? nodes : [nodes[1], nodes[0]]
      const added = await addTexts(here, base, [`The code word of round ${round} is walnut${round}.`])
      const sourceId = newest(added)
      const found = async (server: RunningServer): Promise<boolean> => {
        const passages = await search(server, base, `What is the code word walnut${round}?`, { topK: 10 })
        return passages.some((passage) => passage.sourceId === sourceId)
      }
      // Loaded by both nodes, so that both must invalidate it.
      expect([await found(there), await found(here)]).toEqual([true, true])
      expect((await remove(here, `${BASES}/${base.knowledgeBaseId}/sources/${sourceId}`)).status).toBe(204)
      const deletedAt = performance.now()
      // Immediately, not only after the bus message arrives.
      expect(await found(there)).toBe(false)
      visibleAfterMs.push(performance.now() - deletedAt)
      await complete(nodes[1], chatId, `What is the code word walnut${round}?`)
      const { retrievedPassages } = await readChat(nodes[1], chatId)
      expect(retrievedPassages.map((passage) => passage.sourceId)).not.toContain(sourceId)
    }
    console.log(
      `milliseconds until the other node had answered without it: ${visibleAfterMs.map(Math.round).join(' ')}`,
    )
    expect(Math.max(...visibleAfterMs)).toBeLessThan(VISIBILITY_TIMEOUT_MS)
  })

  test('both nodes use the new content of a refreshed page', { timeout: 120_000 }, async () => {
    const { cluster, website } = await open()
    const { nodes } = cluster
    website.putHtml('/hours', page('Hours', 'On Sundays the workshop opens at ten and closes at noon.'))
    const created = await createBase(nodes[0], { sources: [{ url: `${website.url}/hours` }] })
    const base = await waitUntilRead(nodes[0], created, READ_WITHIN_MS)
    const texts = (server: RunningServer) =>
      search(server, base, 'When does the workshop open on Sundays?').then(textsOf)
    for (const server of nodes) expect(await texts(server)).toEqual([expect.stringContaining('opens at ten')])
    website.putHtml('/hours', page('Hours', 'On Sundays the workshop opens at three and closes at five.'))
    await expectBody(200, send(nodes[0], 'POST', `${BASES}/${base.knowledgeBaseId}/refresh`))
    // The old content is replaced atomically.
    const seen = new Set<string>()
    await eventually(
      'the new content',
      READ_WITHIN_MS,
      async () => {
        const [text = '', ...others] = await texts(nodes[1])
        expect([text.includes('opens at'), others]).toEqual([true, []])
        seen.add(text)
        return text.includes('opens at three') || null
      },
      5,
    )
    expect(await texts(nodes[0])).toEqual([expect.stringContaining('opens at three')])
    expect(seen.size).toBeLessThanOrEqual(2)
  })

  test(`both nodes return the same passages after each of ${CHANGES} changes (SEED=${seed})`, {
    timeout: 300_000,
  }, async () => {
    const { cluster } = await open()
    const base = await addTexts(cluster.nodes[0], await createBase(cluster.nodes[0]), INITIAL)
    const sourceIds = base.sources.map(({ source_id }) => source_id)
    let maxResults = 0
    for (const [number, change] of fc.sample(changes, { seed, numRuns: CHANGES }).entries()) {
      const here = cluster.nodes[change.node]
      const there = cluster.nodes[1 - change.node] as RunningServer
      await apply(here, { base, sourceIds, change, number })
      const [first, second] = [await searchAll(there, base), await searchAll(here, base)]
      expect(first, `SEED=${seed} change ${number}`).toEqual(second)
      const present = new Set(first.flat().map((passage) => passage.sourceId))
      expect([...present].filter((sourceId) => !sourceIds.includes(sourceId))).toEqual([])
      maxResults = Math.max(maxResults, present.size)
    }
    expect(maxResults).toBeGreaterThan(3)
  })
})

const WORDS = [
  'bicycle',
  'battery',
  'museum',
  'ticket',
  'invoice',
  'garden',
  'window',
  'insurance',
  'kettle',
  'harbour',
]
const sentence = fc
  .array(fc.constantFrom(...WORDS), { minLength: 4, maxLength: 30 })
  .map((words) => `The ${words.join(' and the ')}.`)
const changes = fc.record({
  node: fc.constantFrom(0 as const, 1 as const),
  kind: fc.constantFrom('add', 'add', 'remove', 'swap'),
  texts: fc.array(sentence, { minLength: 1, maxLength: 4 }),
  at: fc.nat(1000),
})
type Change = ReturnType<typeof changes.generate>['value']

const INITIAL = WORDS.map(
  (word, index) => `The ${word} of house ${index} and the ${WORDS[(index + 3) % WORDS.length]}.`,
)

interface Application {
  readonly base: KnowledgeBase
  /** Ids of the current sources, updated by each change. */
  readonly sourceIds: string[]
  readonly change: Change
  readonly number: number
}

async function apply(server: RunningServer, { base, sourceIds, change, number }: Application): Promise<void> {
  const { kind, texts, at } = change
  if (kind !== 'add' && sourceIds.length > 1) {
    const [sourceId] = sourceIds.splice(at % sourceIds.length, 1)
    expect((await remove(server, `${BASES}/${base.knowledgeBaseId}/sources/${sourceId}`)).status).toBe(204)
    if (kind === 'remove') return
  }
  const { sources } = await addTexts(
    server,
    base,
    texts.map((text, index) => `${text} ${number} ${index}`),
  )
  sourceIds.splice(0, sourceIds.length, ...sources.map(({ source_id }) => source_id))
}

/** Adds texts and waits until they are processed. */
async function addTexts(
  server: RunningServer,
  { knowledgeBaseId }: Pick<KnowledgeBase, 'knowledgeBaseId'>,
  texts: readonly string[],
): Promise<KnowledgeBase> {
  const sources = texts.map((text) => ({ text }))
  const path = `${BASES}/${knowledgeBaseId}/sources`
  const base = await expectBody(201, send<KnowledgeBase>(server, 'POST', path, { sources }))
  const read = await waitUntilRead(server, base, READ_WITHIN_MS)
  expect(read.status).toBe('ready')
  return read
}

const newest = ({ sources }: KnowledgeBase): string => sources[0]?.source_id ?? ''

const textsOf = (passages: readonly Passage[]): string[] => passages.map(({ text }) => text)

/** Returns the passages for each word and some combinations. */
async function searchAll(server: RunningServer, base: KnowledgeBase): Promise<Passage[][]> {
  const found: Passage[][] = []
  for (const query of [...WORDS, 'bicycle battery harbour', 'house of the museum']) {
    found.push(await search(server, base, query, { topK: 10 }))
  }
  return found
}
