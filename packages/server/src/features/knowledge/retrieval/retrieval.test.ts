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

  test('name a source without a title by its file name, its URL or "Untitled"', async () => {
    await using knowledge = await openKnowledge()
    await knowledge.writer.addBase('base')
    await knowledge.writer.putSource('base', 's1', { texts: ['apples'], fields: { kind: 'file', filename: 'a.pdf' } })
    await knowledge.writer.putSource('base', 's2', {
      texts: ['pears'],
      fields: { kind: 'url', url: 'https://b.test/' },
    })
    await knowledge.writer.putSource('base', 's3', { texts: ['plums'] })
    const node = knowledge.startNode()
    const findNames = async (query: string) => {
      const outcome = await node.search(query)
      return outcome.ok ? outcome.passages.map(({ sourceName, url }) => [sourceName, url]) : outcome
    }
    expect(await findNames('apples')).toEqual([['a.pdf', null]])
    expect(await findNames('pears')).toEqual([['https://b.test/', 'https://b.test/']])
    expect(await findNames('plums')).toEqual([['Untitled', null]])
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
    const foundPassages = outcome.ok ? outcome.passages.map(({ knowledgeBaseId, text }) => [knowledgeBaseId, text]) : []
    expect(foundPassages.sort()).toEqual([
      ['base', REFUND],
      ['second', PARKING],
    ])
    expect(await node.findTexts('parking', { knowledgeBaseIds: ['foreign'] })).toEqual([])
    expect(await node.findTexts('parking', { knowledgeBaseIds: [] })).toEqual([])
    expect(await node.findTexts('  ', { knowledgeBaseIds: ['base'] })).toEqual([])
  })
})

describe('changes', () => {
  test('are visible on every node at once, including deletions', async () => {
    await using knowledge = await openKnowledge()
    const { writer } = knowledge
    await writer.addBase('base')
    const nodes = [knowledge.startNode(), knowledge.startNode()]
    const searchAll = () => Promise.all(nodes.map((node) => node.findTexts('refunds parking opens', { topK: 10 })))
    expect(await searchAll()).toEqual([[], []])
    await writer.putSource('base', 's1', { texts: [REFUND] })
    expect(await searchAll()).toEqual([[REFUND], [REFUND]])
    await writer.putSource('base', 's2', { texts: [PARKING] })
    expect((await searchAll()).map((texts) => [...texts].sort())).toEqual([
      [PARKING, REFUND],
      [PARKING, REFUND],
    ])
    await writer.deleteSource('base', 's1')
    expect(await searchAll()).toEqual([[PARKING], [PARKING]])
    await writer.putSource('base', 's2', { texts: [OPENING], generation: 2 })
    expect(await searchAll()).toEqual([[OPENING], [OPENING]])
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
    expect(await node.findTexts('refunds')).toEqual([REFUND])
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
    await node.findTexts('refunds')
    await writer.putSource('base', 's2', { texts: [PARKING] })
    node.worker.calls.length = 0
    await Promise.all(Array.from({ length: 8 }, () => node.findTexts('refunds')))
    expect(node.worker.calls.filter((call) => call === 'add')).toHaveLength(1)
    node.worker.calls.length = 0
    await node.findTexts('refunds')
    expect(node.worker.calls).toEqual(['search'])
  })

  test('between index and text repeat the search', async () => {
    await using knowledge = await openKnowledge()
    const { writer } = knowledge
    await writer.addBase('base')
    await writer.putSource('base', 's1', { texts: [REFUND] })
    await writer.putSource('base', 's2', { texts: ['Refunds are not paid for vouchers.'] })
    const node = knowledge.startNode()
    node.worker.beforeCall = async (call) => {
      if (call !== 'search') return
      node.worker.beforeCall = () => Promise.resolve()
      await writer.deleteSource('base', 's1')
      await writer.putSource('base', 's3', { texts: ['Refunds take three days.'] })
    }
    const foundTexts = await node.findTexts('refunds')
    expect([...foundTexts].sort()).toEqual(['Refunds are not paid for vouchers.', 'Refunds take three days.'])
  })

  test('during a load never expose deleted passages or lose new ones', async () => {
    await using knowledge = await openKnowledge()
    const { writer } = knowledge
    await writer.addBase('base')
    // Large enough that each source is read separately, in this order.
    const buildTexts = (word: string) => [word, ...Array.from({ length: 400 }, (_, index) => `filler ${word} ${index}`)]
    for (const id of ['s1', 's2', 's3', 's4']) await writer.putSource('base', id, { texts: buildTexts(`${id}word`) })
    const node = knowledge.startNode()
    node.worker.beforeCall = async (call) => {
      if (call !== 'add') return
      node.worker.beforeCall = () => Promise.resolve()
      for (const id of ['s1', 's4']) await writer.deleteSource('base', id)
      await writer.putSource('base', 's3', { texts: ['new third word'], generation: 2 })
    }
    const foundTexts = await node.findTexts('s1word s2word s3word s4word third', { topK: 10 })
    expect(foundTexts).toContain('s2word')
    expect(foundTexts).toContain('new third word')
    expect(foundTexts.filter((text) => /s[134]word/.test(text))).toEqual([])
    expect(node.errors).toEqual([])
  })
})

const WORDS = ['apple', 'pear', 'plum', 'cherry']

interface Change {
  readonly source: number
  readonly texts: readonly string[]
}

test('an index updated in steps returns the same results as a new one', async () => {
  const text = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }).map((words) => words.join(' '))
  const change: fc.Arbitrary<Change> = fc.record({
    source: fc.integer({ min: 0, max: 3 }),
    texts: fc.array(text, { maxLength: 4 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
      await using knowledge = await openKnowledge()
      await knowledge.writer.addBase('base')
      const updatedNode = knowledge.startNode()
      for (const [generation, { source, texts }] of changes.entries()) {
        const id = `source_${source}`
        if (texts.length === 0) await knowledge.writer.deleteSource('base', id)
        else await knowledge.writer.putSource('base', id, { texts, generation: generation + 1 })
        if (generation % 2 === 0) await updatedNode.search('apple')
      }
      const freshNode = knowledge.startNode()
      for (const word of WORDS) {
        expect(await updatedNode.search(word, { topK: 10 })).toEqual(await freshNode.search(word, { topK: 10 }))
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
    const search = (id: string) => node.findTexts('refunds', { knowledgeBaseIds: [id] })
    const recordCalls = async (id: string) => {
      node.worker.calls.length = 0
      await search(id)
      return node.worker.calls
    }
    await search('one')
    expect(await recordCalls('one')).toEqual(['search'])
    expect(await recordCalls('two')).toEqual(['add', 'drop', 'search'])
    expect(await recordCalls('two')).toEqual(['search'])
    expect(await node.findTexts('refunds', { knowledgeBaseIds: ids })).toHaveLength(3)
    expect(await recordCalls('three')).toEqual(['search'])
  })
})
