import { describe, expect } from 'vitest'
import { createCompoundFile, createHandbook, createPriceList } from '../../../testing/documents/office-documents.ts'
import {
  MANUAL_FACT,
  makeLongPdf,
  makeManual,
  makeProtectedPdf,
  makeScan,
} from '../../../testing/documents/pdf-documents.ts'
import { HELP_PAGE, makeEmail, makeLongText } from '../../../testing/documents/text-documents.ts'
import { expectBody, read, send } from '../../../testing/server-test.ts'
import {
  BASES,
  baseOfFiles,
  createBase,
  readyBase,
  search,
  sendFiles,
  settled,
  sourceOf,
  test,
} from './knowledge-test-kit.ts'

const LETTER = makeEmail('Délai de livraison', [
  { contentType: 'text/plain; charset=utf-8', content: 'Frames in racing green take eleven weeks to arrive.' },
  { contentType: 'text/csv', filename: 'stock.csv', content: 'Frame,Stock\nRacing green,2\nMidnight blue,17\n' },
])
const WIDE = '\ufeffDie Werkstatt schließt während der Schützenfesttage früher, nämlich um 15 Uhr.'
const WIDE_BIG = '\ufeffLe café de l’atelier sert des gâteaux à la châtaigne le jeudi.'
const NARROW = 'Für Räder größer als 29 Zoll gilt ein Zuschlag von 12 Franken. Ähnliches gilt für Übergrößen.'

const FILES = async () => [
  { name: 'manual.pdf', content: await makeManual(), type: 'application/pdf' },
  { name: 'handbook.docx', content: await createHandbook() },
  { name: 'prices.xlsx', content: await createPriceList() },
  { name: 'help.html', content: HELP_PAGE, type: 'text/html' },
  { name: 'letter.eml', content: LETTER },
  { name: 'wide.txt', content: Buffer.from(WIDE, 'utf16le') },
  { name: 'wide-big.txt', content: Buffer.from(WIDE_BIG, 'utf16le').swap16() },
  { name: 'narrow.txt', content: Buffer.from(NARROW, 'latin1') },
]

/** Question, source of the answer and expected text. */
const FACTS: readonly (readonly [question: string, file: string, sourceName: string, text: string])[] = [
  ['When are the brake pads of the Kestrel replaced?', 'manual.pdf', 'Kestrel service manual', '4,200 kilometres'],
  ['How many days of holiday does everybody have?', 'handbook.docx', 'Handbook of the workshop', '27 days'],
  ['When does the late shift begin?', 'handbook.docx', 'Handbook of the workshop', '13:15'],
  ['What does a flat tire on the back wheel cost?', 'prices.xlsx', 'prices.xlsx', '1,234.50'],
  ['Within how many days can I send back an article?', 'help.html', 'Returns', '30 days'],
  ['How long do frames in racing green take?', 'letter.eml', 'Délai de livraison', 'eleven weeks'],
  ['How many midnight blue frames are in stock?', 'letter.eml', 'Délai de livraison', '17'],
  ['Wann schließt die Werkstatt an den Schützenfesttagen?', 'wide.txt', 'wide.txt', '15 Uhr'],
  ['Quand y a-t-il des gâteaux à la châtaigne ?', 'wide-big.txt', 'wide-big.txt', 'le jeudi'],
  ['Welcher Zuschlag gilt für Räder größer als 29 Zoll?', 'narrow.txt', 'narrow.txt', '12 Franken'],
]

describe('uploaded files', { timeout: 60_000 }, () => {
  test('of all kinds are read and found, with their location', async ({ server }) => {
    const { knowledgeBaseId } = await createBase(server)
    const files = await FILES()
    const added = await sendFiles(server, `${BASES}/${knowledgeBaseId}/sources`, files)
    expect([added.status, added.body.status, added.body.sourceCount]).toEqual([201, 'processing', files.length])
    expect(new Set(added.body.sources.map(({ status }) => status))).toEqual(new Set(['processing']))
    const base = await settled(server, added.body)
    expect(base.status).toBe('ready')
    const broken = base.sources.filter(({ status, error, chunkCount }) => {
      return status !== 'ready' || error !== null || chunkCount === 0
    })
    expect(broken).toEqual([])
    for (const [question, file, sourceName, text] of FACTS) {
      const found = await search(server, base, question)
      const right = found.find((passage) => passage.text.includes(text))
      expect(right, `${question}\n${JSON.stringify(found, null, 1)}`).toMatchObject({
        knowledgeBaseId,
        sourceId: sourceOf(base, file).source_id,
        sourceType: 'file',
        sourceName,
        url: null,
        mode: 'lexical',
      })
      expect(right?.score).toBeGreaterThan(0.3)
      expect(right?.score).toBeLessThanOrEqual(1)
    }
  })

  test('keep the page and the headings of a manual of 50 pages', async ({ server }) => {
    const base = await baseOfFiles(server, [{ name: 'manual.pdf', content: await makeManual() }])
    expect(base.sources).toMatchObject([
      { pageCount: 50, contentType: 'application/pdf', title: 'Kestrel service manual' },
    ])
    const { page, chapter, heading, sentence } = MANUAL_FACT
    const [best] = await search(server, base, 'After how many kilometres does the Kestrel need new brake pads?')
    expect(best).toMatchObject({ page, headings: [chapter, heading], text: expect.stringContaining(sentence) })
    const price = await search(server, base, 'What does part number K-253 cost?')
    expect(price).toContainEqual(
      expect.objectContaining({ page: 25, text: expect.stringMatching(/K-253.*53\.50 EUR/) }),
    )
    const path = `${BASES}/${base.knowledgeBaseId}/sources/${sourceOf(base, 'manual.pdf').source_id}/chunks`
    const chunks = await expectBody(200, read<{ page: number; text: string }[]>(server, path, { limit: 1000 }))
    expect(chunks.map((chunk) => chunk.page)).toEqual(chunks.map((chunk) => chunk.page).toSorted((a, b) => a - b))
    expect(new Set(chunks.map((chunk) => chunk.page)).size).toBe(50)
    // Running titles are not part of the text.
    expect(chunks.filter(({ text }) => /Page \d+ of 50|Hillside Cycle Works/.test(text))).toEqual([])
    expect(chunks[0]?.text).toContain('workshop that knows the model')
  })

  test('are detected by their content, not by their name', async ({ server }) => {
    const base = await baseOfFiles(server, [
      { name: 'notes.txt', content: await createHandbook(), type: 'text/plain' },
      { name: 'prices.docx', content: await createPriceList(), type: 'application/msword' },
      { name: 'scan.png', content: HELP_PAGE, type: 'image/png' },
      { name: 'table.pdf', content: 'Bell,Price\nBrass,19.00\nSteel,9.50\n', type: 'application/pdf' },
      { name: 'without-ending', content: await makeManual() },
    ])
    expect(Object.fromEntries(base.sources.map((source) => [source.filename, source.contentType]))).toEqual({
      'notes.txt': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'prices.docx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'scan.png': 'text/html',
      'table.pdf': expect.stringMatching(/^text\/(?:csv|plain)$/),
      'without-ending': 'application/pdf',
    })
    expect((await search(server, base, 'price of the brass bell'))[0]?.text).toContain('19.00')
  })

  test('that cannot be read say why, and do not affect the others', async ({ server }) => {
    const manual = await makeManual()
    const handbook = await createHandbook()
    const bad: Readonly<Record<string, readonly [Uint8Array | string, RegExp]>> = {
      'scan.pdf': [await makeScan(), /scan|no text/i],
      'locked.pdf': [await makeProtectedPdf(), /password/],
      'locked.docx': [createCompoundFile('EncryptedPackage'), /password/],
      'old.doc': [createCompoundFile('WordDocument'), /\.docx/],
      'half.pdf': [manual.slice(0, 900), /damaged/],
      'half.docx': [handbook.slice(0, handbook.length / 2), /damaged/],
      'picture.pdf': [Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), /Images cannot be read/],
      'spaces.txt': ['  \n\t \n ', /no text/],
      'noise.bin': [Buffer.from(Array.from({ length: 4000 }, (_, index) => (index * 7919) % 256)), /cannot be read/],
    }
    const files = Object.entries(bad).map(([name, [content]]) => ({ name, content }))
    const good = { name: 'help.html', content: HELP_PAGE }
    const base = await baseOfFiles(server, [...files, good])
    expect([base.status, sourceOf(base, 'help.html').status]).toEqual(['ready', 'ready'])
    for (const [name, [, reason]] of Object.entries(bad)) {
      const { status, error, chunkCount } = sourceOf(base, name)
      expect([name, status, error, chunkCount]).toEqual([name, 'error', expect.stringMatching(reason), 0])
    }
    expect((await search(server, base, 'How many days do I have to send back an article?'))[0]?.text).toContain(
      '30 days',
    )
    const alone = await baseOfFiles(server, [{ name: 'scan.pdf', content: await makeScan() }])
    expect([alone.status, alone.chunkCount]).toEqual(['error', 0])
    expect(await search(server, alone, 'Is there anything?')).toEqual([])
    // A later source makes it ready, and the failed source can be deleted.
    const later = await expectBody(
      201,
      send<typeof alone>(server, 'POST', `${BASES}/${alone.knowledgeBaseId}/sources`, {
        sources: [{ text: 'A bell costs 9.50.' }],
      }),
    )
    expect(later.status).toBe('processing')
    expect((await settled(server, later)).status).toBe('ready')
  })

  test('that are too large name the limit', async ({ server }) => {
    const base = await baseOfFiles(server, [
      { name: 'long.pdf', content: await makeLongPdf(2001) },
      { name: 'wide.csv', content: `${Array.from({ length: 101 }, (_, index) => `c${index}`).join(',')}\n`.repeat(3) },
    ])
    expect(sourceOf(base, 'long.pdf')).toMatchObject({ status: 'error', error: expect.stringMatching(/2,000 pages/) })
    expect(sourceOf(base, 'wide.csv')).toMatchObject({ status: 'error', error: expect.stringMatching(/100 columns/) })
  })
})

test('base64 in JSON is the same as an upload', async ({ server }) => {
  const file = async (filename: string, content: Uint8Array | string) => ({
    filename,
    base64: Buffer.from(content).toString('base64'),
  })
  const handbook = await createHandbook()
  const sources = [
    await file('handbook.docx', handbook),
    { ...(await file('prices.xlsx', await createPriceList())), title: 'Prices of spring' },
    await file('narrow.txt', Buffer.from(NARROW, 'latin1')),
    { text: '# Bells\n\nA brass bell costs 19 francs.', title: 'Bells' },
  ]
  const base = await readyBase(server, { sources })
  expect(
    base.sources.map(({ source_type, filename, title, status }) => [source_type, filename, title, status]),
  ).toEqual(
    expect.arrayContaining([
      ['file', 'handbook.docx', 'Handbook of the workshop', 'ready'],
      ['file', 'prices.xlsx', 'Prices of spring', 'ready'],
      ['file', 'narrow.txt', '', 'ready'],
      ['text', '', 'Bells', 'ready'],
    ]),
  )
  const uploaded = await sendFiles(server, `${BASES}/${base.knowledgeBaseId}/sources`, [
    { name: 'other-name.docx', content: handbook },
  ])
  expect([uploaded.status, uploaded.body.sourceCount]).toEqual([201, sources.length])
  const [bell] = await search(server, base, 'What is the price of a brass bell?')
  expect(bell).toMatchObject({ sourceName: 'Bells', sourceType: 'text', page: null })
  const [tire] = await search(server, base, 'price of a flat tire')
  expect(tire).toMatchObject({ sourceName: 'Prices of spring' })
})

test('a text of 5 MB is read within its limits, and found', { timeout: 60_000 }, async ({ server }) => {
  const content = makeLongText(4_900_000)
  const base = await baseOfFiles(server, [
    { name: 'shelves.txt', content },
    { name: 'too-long.txt', content: Buffer.alloc(10_500_000, 'words ') },
  ])
  expect(sourceOf(base, 'shelves.txt')).toMatchObject({ status: 'ready', size: Buffer.byteLength(content) })
  expect(sourceOf(base, 'too-long.txt')).toMatchObject({
    status: 'error',
    error: expect.stringContaining('5,000,000 characters'),
  })
  const number = 12_345
  const found = await search(server, base, `Which shelf holds the spare part W-${number * 7}?`)
  expect(found[0]?.text).toContain(`Shelf ${number} holds`)
})
