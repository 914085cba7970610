import { createManualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { createConceptVectors } from '../../../../../../testing/embedding-server/concept-vectors.ts'
import { startEmbeddingServer } from '../../../../../../testing/embedding-server/embedding-server.ts'
import { createEmbedder } from '../../../integrations/embeddings/embedder.ts'
import { createModelDispatcher } from '../../../integrations/models/model-dispatcher.ts'
import { systemClock } from '../../../platform/system.ts'
import { createScriptedEmbedder, openKnowledge } from './retrieval-test-kit.ts'

const SYNONYMS = [
  ['airship', 'zeppelin', 'dirigible'],
  ['shed', 'hangar', 'sheds'],
]
const HANGAR = 'The old zeppelin hangar lies behind the orchard.'
const PARKING = 'Parking is free on Sundays behind the town hall.'
const QUESTION = 'Any dirigible sheds or airship sheds?'

function createSynonymEmbedder() {
  return createScriptedEmbedder(createConceptVectors({ synonyms: SYNONYMS }))
}

test('finds synonyms that keyword search does not find', async () => {
  await using knowledge = await openKnowledge()
  const { writer } = knowledge
  await writer.addBase('base')
  await writer.putSource('base', 's1', { texts: [PARKING, HANGAR] })
  const lexicalNode = knowledge.startNode()
  const hybridNode = knowledge.startNode({ embedder: createSynonymEmbedder() })
  expect(await hybridNode.search(QUESTION)).toMatchObject({ ok: true, mode: 'lexical', passages: [] })
  await writer.embedBase('base', createSynonymEmbedder())
  const freshNode = knowledge.startNode({ embedder: createSynonymEmbedder() })
  const outcome = await freshNode.search(QUESTION, { filterScore: 0.5 })
  expect(outcome).toMatchObject({ ok: true, mode: 'hybrid', passages: [{ text: HANGAR, mode: 'hybrid' }] })
  expect(await lexicalNode.search(QUESTION)).toMatchObject({ ok: true, mode: 'lexical', passages: [] })
})

test('a base without vectors does not use the model', async () => {
  await using knowledge = await openKnowledge()
  await knowledge.writer.addBase('base')
  await knowledge.writer.putSource('base', 's1', { texts: [PARKING] })
  const model = createSynonymEmbedder()
  const node = knowledge.startNode({ embedder: model })
  expect(await node.search('parking')).toMatchObject({ ok: true, mode: 'lexical', passages: [{ text: PARKING }] })
  expect(model.requestedTexts).toEqual([])
})

test('finds vectors created after their passages within seconds', async () => {
  await using knowledge = await openKnowledge()
  const { writer } = knowledge
  const time = createManualClock()
  await writer.addBase('base')
  await writer.putSource('base', 's1', { texts: [PARKING, HANGAR] })
  const node = knowledge.startNode({ embedder: createSynonymEmbedder(), clock: time.clock })
  expect(await node.findTexts(QUESTION)).toEqual([])
  await writer.embedBase('base', createSynonymEmbedder())
  expect(await node.findTexts(QUESTION, { filterScore: 0.5 })).toEqual([])
  await time.advance(10_000)
  const loaded = Promise.withResolvers<void>()
  node.worker.beforeCall = async (call) => {
    if (call === 'addVectors') loaded.resolve()
  }
  await node.findTexts(QUESTION)
  await loaded.promise
  expect(await node.findTexts(QUESTION, { filterScore: 0.5 })).toEqual([HANGAR])
  node.worker.calls.length = 0
  await time.advance(60_000)
  await node.findTexts(QUESTION)
  expect(node.worker.calls).toEqual(['search'])
  expect(node.errors).toEqual([])
})

test('all passages get their vectors, including passages of a damaged index', async () => {
  await using knowledge = await openKnowledge()
  const { writer } = knowledge
  await writer.addBase('base')
  const filler = Array.from({ length: 150 }, (_, index) => `Unrelated passage about topic ${index}.`)
  await writer.putSource('base', 's1', { texts: [...filler, HANGAR], segment: new Uint8Array([9]) })
  await writer.putSource('base', 's2', { texts: [...filler.map((text) => `${text} Again.`), `${HANGAR} Twice.`] })
  for (let index = 0; index < 70; index += 1) await writer.putSource('base', `t${index}`, { texts: [`Note ${index}`] })
  await writer.embedBase('base', createSynonymEmbedder())
  const node = knowledge.startNode({ embedder: createSynonymEmbedder() })
  const matchingTexts = await node.findTexts(QUESTION, { filterScore: 0.4, topK: 10 })
  expect([...matchingTexts].sort()).toEqual([HANGAR, `${HANGAR} Twice.`])
})

test('the next search loads vectors whose load failed', async () => {
  await using knowledge = await openKnowledge()
  const { writer } = knowledge
  await writer.addBase('base')
  await writer.putSource('base', 's1', { texts: [PARKING, HANGAR] })
  await writer.embedBase('base', createSynonymEmbedder())
  const node = knowledge.startNode({ embedder: createSynonymEmbedder() })
  node.worker.beforeCall = async (call) => {
    if (call !== 'addVectors') return
    node.worker.beforeCall = () => Promise.resolve()
    throw new Error('The disk is full.')
  }
  expect(await node.search(QUESTION)).toMatchObject({ ok: false })
  expect(await node.findTexts(QUESTION, { filterScore: 0.5 })).toEqual([HANGAR])
})

test('uses an embedding server and falls back to keyword search after the server stops', async () => {
  await using knowledge = await openKnowledge()
  await using server = await startEmbeddingServer({ createVector: createConceptVectors({ synonyms: SYNONYMS }) })
  const { writer } = knowledge
  const http = createModelDispatcher()
  const { baseUrl } = server
  const model = createEmbedder({ baseUrl, apiKey: undefined, model: 'embed-1', http, clock: systemClock })
  await writer.addBase('base')
  await writer.putSource('base', 's1', { texts: [PARKING, HANGAR] })
  await writer.embedBase('base', model)
  // With virtual time, no question times out on a busy machine.
  const node = knowledge.startNode({ embedder: model, clock: createManualClock().clock })
  expect(await node.search(QUESTION, { topK: 1 })).toMatchObject({ mode: 'hybrid', passages: [{ text: HANGAR }] })
  await server.close()
  expect(await node.search(QUESTION, { topK: 1 })).toMatchObject({ mode: 'hybrid', passages: [{ text: HANGAR }] })
  expect(await node.search('Where is parking free?')).toMatchObject({ mode: 'lexical', passages: [{ text: PARKING }] })
  await http.destroy()
})

test('falls back to keyword search when the model is down', async () => {
  await using knowledge = await openKnowledge()
  const { writer } = knowledge
  await writer.addBase('base')
  await writer.putSource('base', 's1', { texts: [PARKING, HANGAR] })
  await writer.embedBase('base', createSynonymEmbedder())
  const model = createSynonymEmbedder()
  model.failure = { ok: false, message: 'The provider responded with status 503.', retryable: true }
  const node = knowledge.startNode({ embedder: model })
  expect(await node.search('parking')).toMatchObject({
    ok: true,
    mode: 'lexical',
    passages: [{ text: PARKING, mode: 'lexical' }],
  })
  expect(node.errors).toEqual(['embed a question: The provider responded with status 503.'])
})

test('ignores vectors of another length', async () => {
  await using knowledge = await openKnowledge()
  const { writer } = knowledge
  await writer.addBase('base')
  await writer.putSource('base', 's1', { texts: [PARKING, HANGAR] })
  await writer.embedBase('base', createScriptedEmbedder(createConceptVectors({ dimensions: 32 })))
  const node = knowledge.startNode({ embedder: createSynonymEmbedder() })
  expect(await node.search('parking')).toMatchObject({ ok: true, passages: [{ text: PARKING }] })
  expect(node.errors).toEqual([])
})
