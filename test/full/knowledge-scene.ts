import { createHash } from 'node:crypto'
import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import type { Passage } from '@parley/contract/knowledge-passage'
import { expect } from 'vitest'
import { createHandbook, createPriceList } from '../../testing/documents/office-documents.ts'
import { makeManual } from '../../testing/documents/pdf-documents.ts'
import { HELP_PAGE, makeEmail, makeLongText } from '../../testing/documents/text-documents.ts'
import { loadCorpus } from '../../testing/knowledge/load-corpus.ts'
import type { RunningServer } from '../../testing/running-server.ts'
import { withDatabase } from '../../testing/server-database.ts'
import { BASES, createBase, search, sendFiles } from '../e2e/knowledge/knowledge-test-kit.ts'
import { eventually } from './cluster.ts'

/** Documents of every kind, their upload, and their expected stored state. */

const LONG_CHARACTERS = 600_000
const POLL_MS = 50

export type SentFile = Parameters<typeof sendFiles>[2][number]

/** Questions that the documents answer. */
export const QUESTIONS = [
  'When are the brake pads of the Kestrel replaced?',
  'Where is spare part W-700?',
  'Wie entkalke ich die Maschine?',
  'opening hours of the museum',
  'How do I cancel my subscription?',
]

/** Files of every kind; reading all of them takes a few seconds. */
export async function makeDocuments(): Promise<SentFile[]> {
  const corpus = loadCorpus().map(({ name, raw }) => ({ name, content: raw }))
  return [
    { name: 'manual.pdf', content: await makeManual() },
    { name: 'handbook.docx', content: await createHandbook() },
    { name: 'prices.xlsx', content: await createPriceList() },
    { name: 'help.html', content: HELP_PAGE },
    {
      name: 'question.eml',
      content: makeEmail('A question', [{ contentType: 'text/plain', content: 'Do you open on Sundays?' }]),
    },
    { name: 'hall.txt', content: makeLongText(LONG_CHARACTERS) },
    ...corpus,
  ]
}

/** Creates a knowledge base with unprocessed files. */
export async function uploadDocuments(
  server: RunningServer,
  files: readonly SentFile[],
  fields: object = {},
): Promise<KnowledgeBase> {
  const { knowledgeBaseId } = await createBase(server, fields)
  const answer = await sendFiles(server, `${BASES}/${knowledgeBaseId}/sources`, files)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

/** Waits until all sources are processed. Retries nodes that are down. */
export async function waitUntilRead(
  server: RunningServer,
  { knowledgeBaseId }: Pick<KnowledgeBase, 'knowledgeBaseId'>,
  timeoutMs: number,
): Promise<KnowledgeBase> {
  let last: KnowledgeBase | undefined
  const path = `${BASES}/${knowledgeBaseId}`
  const query = { workspaceId: server.workspaceId }
  const check = async (): Promise<KnowledgeBase | null> => {
    last = (await server.call<KnowledgeBase>('GET', path, { query })).body
    return last.status === 'processing' || last.status === 'refreshing' ? null : last
  }
  return await eventually('a knowledge base that was read', timeoutMs, check, POLL_MS).catch((error) => {
    const { status, sources = [] } = last ?? {}
    const left = sources.filter((source) => source.status !== 'ready').map(({ filename, url }) => filename || url)
    throw new Error(`${status}: ${left.join(', ')}\n${server.output.slice(-3000)}`, { cause: error })
  })
}

/** Returns the passages for each question, without ids that differ between equal knowledge bases. */
export async function searchAllQuestions(
  server: RunningServer,
  base: Pick<KnowledgeBase, 'knowledgeBaseId'>,
): Promise<object[][]> {
  const answers: object[][] = []
  for (const question of QUESTIONS) {
    const passages = await search(server, base, question, { topK: 10 })
    answers.push(inOrder(passages).map(({ knowledgeBaseId: _base, sourceId: _source, ...passage }) => passage))
  }
  return answers
}

/** Sorts passages with equal scores, because their order depends on random source ids. */
function inOrder(passages: readonly Passage[]): Passage[] {
  const keyOf = ({ sourceName, text }: Passage): string => `${sourceName} ${text}`
  return passages.toSorted((a, b) => b.score - a.score || (keyOf(a) < keyOf(b) ? -1 : 1))
}

/** A source with its content. */
export interface StoredSource {
  /** Key that identifies the document in every knowledge base. */
  readonly identity: string
  readonly columns: Readonly<Record<string, unknown>>
  readonly chunks: readonly object[]
  /** Hash of the index. */
  readonly index: string
}

/** Columns with random values or times. */
const VARYING = ['source_id', 'knowledge_base_id', 'reading_id', 'created_at', 'updated_at', 'refreshed_at']

/** Reads all stored sources of a knowledge base in a fixed order. */
export function readStored(
  server: RunningServer,
  { knowledgeBaseId }: Pick<KnowledgeBase, 'knowledgeBaseId'>,
): Promise<StoredSource[]> {
  return withDatabase(server, async ({ read }) => {
    const sources = await read
      .selectFrom('knowledge_sources')
      .selectAll()
      .where('knowledge_base_id', '=', knowledgeBaseId)
      .orderBy('identity')
      .execute()
    const stored: StoredSource[] = []
    for (const source of sources) {
      const chunks = await read
        .selectFrom('knowledge_chunks')
        .select(['generation', 'position', 'page', 'headings', 'text', 'content_hash'])
        .where('source_id', '=', source.source_id)
        .orderBy('generation')
        .orderBy('position')
        .execute()
      const parts = await read
        .selectFrom('knowledge_index_parts')
        .select(['generation', 'part', 'content'])
        .where('source_id', '=', source.source_id)
        .orderBy('generation')
        .orderBy('part')
        .execute()
      const columns = Object.fromEntries(Object.entries(source).filter(([name]) => !VARYING.includes(name)))
      const index = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
      stored.push({ identity: source.identity, columns, chunks, index })
    }
    return stored
  })
}

/** Counts rows that a finished ingestion must not leave behind, in all knowledge bases. */
function countLeftovers(server: RunningServer): Promise<Readonly<Record<string, number>>> {
  return withDatabase(server, async ({ read }) => {
    const sources = await read.selectFrom('knowledge_sources').selectAll().execute()
    const live = new Map(sources.map(({ source_id, generation }) => [source_id, generation]))
    const chunks = await read.selectFrom('knowledge_chunks').select(['source_id', 'generation']).execute()
    const parts = await read.selectFrom('knowledge_index_parts').select(['source_id', 'generation']).execute()
    const originals = await read.selectFrom('knowledge_originals').select('source_id').execute()
    const jobs = await read
      .selectFrom('jobs')
      .select('status')
      .where('kind', 'in', ['knowledge-ingest', 'knowledge-remove', 'knowledge-crawl'])
      .where('status', '<>', 'done')
      .execute()
    type Row = { readonly source_id: string; readonly generation: number }
    const isOther = ({ source_id, generation }: Row): boolean => live.get(source_id) !== generation
    return {
      chunks: chunks.filter(isOther).length,
      parts: parts.filter(isOther).length,
      originals: originals.length,
      hidden: sources.filter(({ status }) => status === 'staged' || status === 'removed').length,
      jobs: jobs.length,
    }
  })
}

/** Waits until no leftover rows exist. Unneeded rows are removed after ingestion. */
export async function expectNoLeftovers(server: RunningServer, timeoutMs: number): Promise<void> {
  let counts: Readonly<Record<string, number>> = {}
  const check = async (): Promise<true | null> => {
    counts = await countLeftovers(server)
    return Object.values(counts).every((count) => count === 0) || null
  }
  await eventually('no leftovers', timeoutMs, check, 200).catch((error) => {
    throw new Error(JSON.stringify(counts), { cause: error })
  })
}
