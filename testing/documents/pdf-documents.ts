import { deflateSync } from 'node:zlib'
import PDFDocument from 'pdfkit'

/** A fact that only page 37 of the manual contains. */
export const MANUAL_FACT = {
  page: 37,
  chapter: 'Chapter 8: Brakes and wheels',
  heading: 'Brake pads',
  sentence:
    'The pads of the Kestrel are replaced after 4,200 kilometres or when they are thinner than 1.5 millimetres.',
} as const

const PAGES = 50
const CHAPTERS = [
  'Getting started',
  'The frame',
  'Battery and charging',
  'The motor',
  'Display and lights',
  'Gears and chain',
  'Saddle and handlebar',
  'Brakes and wheels',
  'Transport and storage',
  'Warranty',
]
const SECTIONS = ['Overview', 'Brake pads', 'Adjusting', 'Cleaning', 'Spare parts']
/** A line that is split within a word, as typesetting programs do. */
const DIVIDED_LINES = [
  'Have the whole wheel checked by a work-',
  'shop that knows the model, and keep the re-',
  'ceipt.',
]

type Pdf = InstanceType<typeof PDFDocument>

async function finishPdf(pdf: Pdf): Promise<Uint8Array> {
  const parts: Buffer[] = []
  pdf.on('data', (part: Buffer) => parts.push(part))
  const ended = new Promise((resolve) => pdf.on('end', resolve))
  pdf.end()
  await ended
  return new Uint8Array(Buffer.concat(parts))
}

/** Creates a manual of 50 pages with chapters, sections, paragraphs, tables, running titles and page numbers. */
export async function makeManual(): Promise<Uint8Array> {
  const pdf = new PDFDocument({
    size: 'A4',
    margin: 72,
    autoFirstPage: false,
    info: { Title: 'Kestrel service manual' },
  })
  for (let page = 1; page <= PAGES; page += 1) writeManualPage(pdf, page)
  return await finishPdf(pdf)
}

function writeManualPage(pdf: Pdf, page: number): void {
  pdf.addPage()
  pdf.font('Helvetica').fontSize(8).text('Hillside Cycle Works - Service manual', 72, 40, { lineBreak: false })
  pdf.text(`Page ${page} of ${PAGES}`, 72, 790, { lineBreak: false })
  pdf.x = 72
  pdf.y = 80
  const chapter = Math.ceil(page / 5)
  const section = (page - 1) % 5
  if (section === 0) {
    pdf
      .font('Helvetica-Bold')
      .fontSize(22)
      .text(`Chapter ${chapter}: ${CHAPTERS[chapter - 1] ?? ''}`)
      .moveDown(0.5)
  }
  pdf
    .font('Helvetica-Bold')
    .fontSize(14)
    .text(SECTIONS[section] ?? '')
    .moveDown(0.3)
  pdf.font('Helvetica').fontSize(11)
  const opening =
    page === MANUAL_FACT.page ? MANUAL_FACT.sentence : `What follows is about part ${page} of the bicycle.`
  pdf.text(`${opening} Read this page before you begin, and have the tools that it names at hand. Wear gloves.`)
  pdf.moveDown(0.8)
  for (const line of DIVIDED_LINES) pdf.text(line)
  pdf
    .moveDown(0.8)
    .list([`Turn the motor off before step ${page}.`, 'Lift the bicycle onto the stand.'], { bulletRadius: 2 })
  pdf.moveDown(0.8)
  if (section === 4) {
    const rows = [1, 2, 3].map((part) => [
      `Part ${chapter}-${part}`,
      `K-${page}${part}`,
      `${chapter * 10 + part}.50 EUR`,
    ])
    pdf.table({ data: [['Name', 'Number', 'Price'], ...rows] })
  }
}

/** Creates a letter in two columns below a title that spans both. */
export async function makeColumns(): Promise<Uint8Array> {
  const pdf = new PDFDocument({ size: 'A4', margin: 60 })
  pdf.font('Helvetica-Bold').fontSize(20).text('News of the workshop', { align: 'center' })
  pdf.font('Helvetica').fontSize(10)
  const createSentence = (side: string, number: number): string =>
    `This is sentence ${number} of the ${side} column of our letter.`
  const createColumn = (side: string): string =>
    Array.from({ length: 12 }, (_, index) => createSentence(side, index + 1)).join(' ')
  pdf.text(createColumn('left'), 60, 120, { width: 220 })
  pdf.text(createColumn('right'), 320, 120, { width: 220 })
  return await finishPdf(pdf)
}

/** Creates pages that contain only a picture, like a scan. */
export async function makeScan(): Promise<Uint8Array> {
  const pdf = new PDFDocument({ autoFirstPage: false })
  for (let page = 1; page <= 3; page += 1) pdf.addPage().image(Buffer.from(PNG, 'base64'), 0, 0, { width: 600 })
  return await finishPdf(pdf)
}

/** A picture of one gray pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Creates a PDF that requires a password. */
export async function makeProtectedPdf(): Promise<Uint8Array> {
  const pdf = new PDFDocument({ userPassword: 'secret', ownerPassword: 'owner', pdfVersion: '1.7' })
  pdf.text('Nobody reads this without the password.')
  return await finishPdf(pdf)
}

/** Creates a PDF of many pages with one word each. */
export async function makeLongPdf(pages: number): Promise<Uint8Array> {
  const pdf = new PDFDocument({ autoFirstPage: false, size: [100, 100], margin: 10 })
  for (let page = 1; page <= pages; page += 1) pdf.addPage().text('word')
  return await finishPdf(pdf)
}

function buildPdf(objects: readonly string[], trailer: string): Uint8Array {
  const offsets: number[] = []
  let text = '%PDF-1.7\n'
  for (const [index, object] of objects.entries()) {
    offsets.push(text.length)
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
  }
  const start = text.length
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer.replace('START', String(start))} >>\n`
  return new TextEncoder().encode(`${text}startxref\n${start}\n%%EOF\n`)
}

const CATALOG = '<< /Type /Catalog /Pages 2 0 R >>'

/** Cyclic PDFs by kind of cycle. */
export const LOOPING_PDFS: Readonly<Record<string, () => Uint8Array>> = {
  'a page tree that holds itself': () => buildPdf([CATALOG, '<< /Type /Pages /Count 5 /Kids [2 0 R 2 0 R] >>'], ''),
  'two nodes of the page tree that hold each other': () =>
    buildPdf(
      [CATALOG, '<< /Type /Pages /Count 3 /Kids [3 0 R] >>', '<< /Type /Pages /Count 3 /Parent 2 0 R /Kids [2 0 R] >>'],
      '',
    ),
  'a cross-reference table that comes before itself': () =>
    buildPdf([CATALOG, '<< /Type /Pages /Count 1 /Kids [3 0 R] >>', '<< /Type /Page /Parent 2 0 R >>'], '/Prev START'),
  'an object stream that contains itself': createLoopingObjectStream,
  'contents that draw themselves': () =>
    buildPdf(
      [
        CATALOG,
        '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>',
        '<< /Length 5 >>\nstream\n/X Do\nendstream',
        '<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >> /Length 11 >>\n' +
          'stream\n/X Do /X Do\nendstream',
      ],
      '',
    ),
  'references that refer to themselves': () => buildPdf(['2 0 R', '1 0 R'], ''),
}

/** Creates a cross-reference stream that places object 4, an object stream, within itself. */
function createLoopingObjectStream(): Uint8Array {
  const head = `%PDF-1.7\n1 0 obj\n${CATALOG}\nendobj\n`
  const createEntry = (type: number, field: number, index: number): number[] => [type, field >> 8, field & 255, index]
  const offset = head.length
  const rows = [
    createEntry(0, 0, 0),
    createEntry(1, 9, 0),
    createEntry(2, 4, 0),
    createEntry(1, offset, 0),
    createEntry(2, 4, 1),
  ].flat()
  const stream = deflateSync(Buffer.from(rows))
  const object = `3 0 obj\n<< /Type /XRef /Size 5 /W [1 2 1] /Root 1 0 R /Filter /FlateDecode /Length ${stream.byteLength} >>\nstream\n`
  const end = `\nendstream\nendobj\nstartxref\n${offset}\n%%EOF\n`
  return new Uint8Array(Buffer.concat([Buffer.from(head + object), stream, Buffer.from(end)]))
}
