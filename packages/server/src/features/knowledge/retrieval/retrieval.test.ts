import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openKnowledge } from './retrieval-test-kit.ts'

const REFUND = 'Refunds are paid within fourteen days after the parcel has arrived.'
const PARKING = 'Parking is free on Sundays behind the town hall.'
const OPENING = 'The shop opens at nine in the morning.'

describe('results', () => {
  test('return a passage with its location', async () => {
    await using knowledge = await openKnowledge()
    await knowledge.writer.addBase('base')
    const fields = { kind: 'url', title: 'Help', filename: 'help.html', url: 'https://shop.test/help' }
    const source = { texts: [PARKING, REFUND], fields, page: 7, headings: ['Orders', 'Money back'] }
    await knowledge.writer.putSource('base', 'source_1', source)
    const node = knowledge.startNode()
    const outcome = await node.search('When are refunds paid?', { topK: 1 })
    expect(outcome).toEqual({
      ok: true,
      mode: 'lexical',
      missing: [],
      passages: [
        {
          knowledgeBaseId: 'base',
          sourceId: 'source_1',
          sourceType: 'url',
          sourceName: 'Help',
          url: 'https://shop.test/help',
          page: 7,
          headings: ['Orders', 'Money back'],
          text: REFUND,
          score: expect.any(Number),
          mode: 'lexical',
        },
      ],
    })
    expect(node.errors).toEqual([])
  })

  test('cite a source without a title by its file, its URL, or not at all', async () => {
    await using knowledge = await openKnowledge()
    await knowledge.writer.addBase('base')
    await knowledge.writer.putSource('base', 's1', { texts: ['apples'], fields: { kind: 'file', filename: 'a.pdf' } })
    await knowledge.writer.putSource('base', 's2', {
      texts: ['pears'],
      fields: { kind: 'url', url: 'https://b.test/' },
    })
    await knowledge.writer.putSource('base', 's3', { texts: ['plums'] })
    const node = knowledge.startNode()
    const names = async (query: string) => {
      const outcome = await node.search(query)
      return outcome.ok ? outcome.passages.map(({ sourceName, url }) => [sourceName, url]) : outcome
    }
    expect(await names('apples')).toEqual([['a.pdf', null]])
    expect(await names('pears')).toEqual([['https://b.test/', 'https://b.test/']])
    expect(await names('plums')).toEqual([['Untitled', null]])
  })

  test('cover several knowledge bases as one and name those missing or in another workspace', async () => {
    await using knowledge = await openKnowledge()
    const { writer } = knowledge
    await writer.addBase('base')
    await writer.addBase('second')
    await writer.addBase('foreign', 2)
    await writer.putSource('base', 's1', { texts: [REFUND, OPENING] })
    await writer.putSource('second', 's2', { texts: [PARKING] })
    await writer.putSource('foreign', 's3', { texts: [PARKING, REFUND] })
    const node = knowledge.startNode()
    const knowledgeBaseIds = ['base', 'second', 'foreign', 'unknown', 'base']
    const outcome = await node.search('refunds parking', { knowledgeBaseIds, topK: 10 })
    expect(outcome).toMatchObject({ ok: true, missing: ['foreign', 'unknown'] })
    const found = outcome.ok ? outcome.passages.map(({ knowledgeBaseId, text }) => [knowledgeBaseId, text]) : []
    expect(found.sort()).toEqual([
      ['base', REFUND],
      ['second', PARKING],
    ])
    expect(await node.texts('parking', { knowledgeBaseIds: ['foreign'] })).toEqual([])
    expect(await node.texts('parking', { knowledgeBaseIds: [] })).toEqual([])
    expect(await node.texts('  ', { knowledgeBaseIds: ['base'] })).toEqual([])
  })
})

describe('changes', () => {
  test('are visible on every node at once, including deletions', async () => {
    await using knowledge = await openKnowledge()
    const { writer } = knowledge
    await writer.addBase('base')
    const nodes = [knowledge.startNode(), knowledge.startNode()]
    const found = () => Promise.all(nodes.map((node) => node.texts('refunds parking opens', { topK: 10 })))
    expect(await found()).toEqual([[], []])
    await writer.putSource('base', 's1', { texts: [REFUND] })
    expect(await found()).toEqual([[REFUND], [REFUND]])
    await writer.putSource('base', 's2', { texts: [PARKING] })
    expect((await found()).map((texts) => [...texts].sort())).toEqual([
      [PARKING, REFUND],
      [PARKING, REFUND],
    ])
    await writer.deleteSource('base', 's1')
    expect(await found()).toEqual([[PARKING], [PARKING]])
    await writer.putSource('base', 's2', { texts: [OPENING], generation: 2 })
    expect(await found()).toEqual([[OPENING], [OPENING]])
    await knowledge.database.transaction((transaction) =>
      transaction.deleteFrom('knowledge_bases').where('knowledge_base_id', '=', 'base').execute(),
    )
    for (const node of nodes) {
      expect(await node.search('opens')).toMatchObject({ passages: [], missing: ['base'] })
      expect(node.worker.calls.at(-1)).toBe('drop')
    }
  })

  test('hide a base that is being removed', async () => {
    await using knowledge = await openKnowledge()
    await knowledge.writer.addBase('base')
    await knowledge.writer.putSource('base', 's1', { texts: [REFUND] })
    const node = knowledge.startNode()
    expect(await node.texts('refunds')).toEqual([REFUND])
    await knowledge.database.transaction((transaction) =>
      transaction.updateTable('knowledge_bases').set({ edit_count: 0 }).execute(),
    )
    expect(await node.search('refunds')).toMatchObject({ ok: true, passages: [], missing: ['base'] })
  })

  test('are loaded incrementally', async () => {
    await using knowledge = await openKnowledge()
    const { writer } = knowledge
    await writer.addBase('base')
    await writer.putSource('base', 's1', { texts: [REFUND] })
    const node = knowledge.startNode()
    await node.texts('refunds')
    await writer.putSource('base', 's2', { texts: [PARKING] })
    node.worker.calls.length = 0
    await Promise.all(Array.from({ length: 8 }, () => node.texts('refunds')))
    expect(node.worker.calls.filter((call) => call === 'add')).toHaveLength(1)
    node.worker.calls.length = 0
    await node.texts('refunds')
    expect(node.worker.calls).toEqual(['search'])
  })

  test('between index and text repeat the search', async () => {
    await using knowledge = await openKnowledge()
    const { writer } = knowledge
    await writer.addBase('base')
    await writer.putSource('base', 's1', { texts: [REFUND] })
    await writer.putSource('base', 's2', { texts: ['Refunds are not paid for vouchers.'] })
    const node = knowledge.startNode()
    node.worker.before = async (call) => {
      if (call !== 'search') return
      node.worker.before = () => Promise.resolve()
      await writer.deleteSource('base', 's1')
      await writer.putSource('base', 's3', { texts: ['Refunds take three days.'] })
    }
    const found = await node.texts('refunds')
    expect([...found].sort()).toEqual(['Refunds are not paid for vouchers.', 'Refunds take three days.'])
  })

  test('during a load never expose deleted passages or lose new ones', async () => {
    await using knowledge = await openKnowledge()
    const { writer } = knowledge
    await writer.addBase('base')
    // Large enough that each source is read separately, in this order.
    const texts = (word: string) => [word, ...Array.from({ length: 400 }, (_, index) => `filler ${word} ${index}`)]
    for (const id of ['s1', 's2', 's3', 's4']) await writer.putSource('base', id, { texts: texts(`${id}word`) })
    const node = knowledge.startNode()
    node.worker.before = async (call) => {
      if (call !== 'add') return
      node.worker.before = () => Promise.resolve()
      for (const id of ['s1', 's4']) await writer.deleteSource('base', id)
      await writer.putSource('base', 's3', { texts: ['new third word'], generation: 2 })
    }
    const found = await node.texts('s1word s2word s3word s4word third', { topK: 10 })
    expect(found).toContain('s2word')
    expect(found).toContain('new third word')
    expect(found.filter((text) => /s[134]word/.test(text))).toEqual([])
    expect(node.errors).toEqual([])
  })
})

const WORDS = ['apple', 'pear', 'plum', 'cherry']

interface Change {
  readonly source: number
  readonly texts: readonly string[]
}

test('lead to the same results as a new index', async () => {
  const text = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }).map((words) => words.join(' '))
  const change: fc.Arbitrary<Change> = fc.record({
    source: fc.integer({ min: 0, max: 3 }),
    texts: fc.array(text, { maxLength: 4 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
      await using knowledge = await openKnowledge()
      await knowledge.writer.addBase('base')
      const follower = knowledge.startNode()
      for (const [generation, { source, texts }] of changes.entries()) {
        const id = `source_${source}`
        if (texts.length === 0) await knowledge.writer.deleteSource('base', id)
        else await knowledge.writer.putSource('base', id, { texts, generation: generation + 1 })
        if (generation % 2 === 0) await follower.search('apple')
      }
      const fresh = knowledge.startNode()
      for (const word of WORDS) {
        expect(await follower.search(word, { topK: 10 })).toEqual(await fresh.search(word, { topK: 10 }))
      }
    }),
    { numRuns: 3 },
  )
})

describe('memory', () => {
  test('evicts the least recently used base, and still serves one that is too large', async () => {
    await using knowledge = await openKnowledge()
    const { writer } = knowledge
    const ids = ['one', 'two', 'three']
    for (const id of ids) {
      await writer.addBase(id)
      await writer.putSource(id, `of-${id}`, { texts: [`${id} ${REFUND}`] })
    }
    const node = knowledge.startNode({ cacheBytes: 1 })
    const ask = (id: string) => node.texts('refunds', { knowledgeBaseIds: [id] })
    const callsOf = async (id: string) => {
      node.worker.calls.length = 0
      await ask(id)
      return node.worker.calls
    }
    await ask('one')
    expect(await callsOf('one')).toEqual(['search'])
    expect(await callsOf('two')).toEqual(['add', 'drop', 'search'])
    expect(await callsOf('two')).toEqual(['search'])
    expect(await node.texts('refunds', { knowledgeBaseIds: ids })).toHaveLength(3)
    expect(await callsOf('three')).toEqual(['search'])
  })
})
