import { Document, HeadingLevel, Packer, Paragraph, Table, TableCell, TableRow, TextRun } from 'docx'
import writeExcelFile from 'write-excel-file/node'
import { makeZip, type PackedFile } from './zip-file.ts'

function createRow(cells: readonly string[], isHeader = false): TableRow {
  return new TableRow({
    tableHeader: isHeader,
    children: cells.map((text) => new TableCell({ children: [new Paragraph(text)] })),
  })
}

/** Creates a Word handbook with a title, headings, lists and a table. */
export async function createHandbook(): Promise<Uint8Array> {
  const createBullet = (text: string): Paragraph => new Paragraph({ text, bullet: { level: 0 } })
  const document = new Document({
    title: 'Handbook of the workshop',
    sections: [
      {
        children: [
          new Paragraph({ text: 'Handbook of the workshop', heading: HeadingLevel.TITLE }),
          new Paragraph({ text: 'Holidays', heading: HeadingLevel.HEADING_1 }),
          new Paragraph({
            children: [new TextRun('Everybody has '), new TextRun({ text: '27 days', bold: true }), new TextRun('.')],
          }),
          new Paragraph({ text: 'Asking for leave', heading: HeadingLevel.HEADING_2 }),
          createBullet('Ask two weeks before.'),
          createBullet('Name the person who covers for you.'),
          new Paragraph({ text: 'Shifts', heading: HeadingLevel.HEADING_1 }),
          new Table({
            rows: [createRow(['Shift', 'Begins'], true), createRow(['Early', '06:30']), createRow(['Late', '13:15'])],
          }),
        ],
      },
    ],
  })
  return new Uint8Array(await Packer.toBuffer(document))
}

/** Creates an Excel price list: a title above a table with prices, shares and dates, and a second sheet. */
export async function createPriceList(): Promise<Uint8Array> {
  const createPriceCell = (value: number) => ({ value, type: Number, format: '#,##0.00 "€"' })
  const createShareCell = (value: number) => ({ value, type: Number, format: '0%' })
  const createDateCell = (value: string) => ({ value: new Date(value), type: Date, format: 'dd.mm.yyyy' })
  const createLabelCell = (value: string) => ({ value, fontWeight: 'bold' as const })
  const prices = [
    [createLabelCell('Price list of spring')],
    [],
    [
      createLabelCell('Article'),
      createLabelCell('Price'),
      createLabelCell('Reduced by'),
      createLabelCell('Valid until'),
    ],
    [
      { value: 'Flat tire, back wheel' },
      createPriceCell(1234.5),
      createShareCell(0.15),
      createDateCell('2026-05-31T00:00:00Z'),
    ],
    [{ value: 'Chain' }, createPriceCell(24), createShareCell(0), createDateCell('2026-06-30T00:00:00Z')],
  ]
  const hours = [
    [{ value: 'Day' }, { value: 'Open' }],
    [{ value: 'Saturday' }, { value: '10:00 to 14:00' }],
  ]
  const buffer = await writeExcelFile([
    { data: prices, sheet: 'Prices' },
    { data: hours, sheet: 'Opening hours' },
  ]).toBuffer()
  return new Uint8Array(buffer)
}

const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
const SHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

function createRelations(entries: readonly (readonly [id: string, type: string, target: string])[]): string {
  const list = entries.map(
    ([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  )
  return `<?xml version="1.0"?><Relationships xmlns="${RELATIONSHIPS}">${list.join('')}</Relationships>`
}

function createContentTypes(part: string, type: string): PackedFile {
  const kind = `application/vnd.openxmlformats-officedocument.${type}.main+xml`
  const content = `<?xml version="1.0"?><Types xmlns="${RELATIONSHIPS}"><Override PartName="${part}" ContentType="${kind}"/></Types>`
  return { name: '[Content_Types].xml', content }
}

/** Creates a Word document with an XML body, which follows `declaration`. */
export function createRawDocx(body: string, { declaration = '', claimedBytes }: RawOptions = {}): Uint8Array {
  const content = `${declaration}<w:document xmlns:w="${WORD}"><w:body>${body}</w:body></w:document>`
  return makeZip([
    createContentTypes('/word/document.xml', 'wordprocessingml.document'),
    { name: '_rels/.rels', content: createRelations([['r1', 'officeDocument', 'word/document.xml']]) },
    { name: 'word/document.xml', content, ...(claimedBytes === undefined ? {} : { claimedBytes }) },
  ])
}

export interface RawOptions {
  readonly declaration?: string
  readonly claimedBytes?: number
}

/** Returns the XML of a Word paragraph. */
export function createDocxParagraph(text: string): string {
  return `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`
}

/** Creates a workbook with one sheet from XML rows; `styles` are the cell styles. */
export function createRawXlsx(rows: string, { declaration = '', styles = '' } = {}): Uint8Array {
  const entries = [
    ['r1', 'worksheet', 'worksheets/sheet1.xml'],
    ['r2', 'styles', 'styles.xml'],
  ] as const
  const sheets = '<sheets><sheet name="Data" sheetId="1" r:id="r1"/></sheets>'
  return makeZip([
    createContentTypes('/xl/workbook.xml', 'spreadsheetml.sheet'),
    { name: '_rels/.rels', content: createRelations([['r1', 'officeDocument', 'xl/workbook.xml']]) },
    { name: 'xl/_rels/workbook.xml.rels', content: createRelations(entries) },
    { name: 'xl/workbook.xml', content: `<workbook xmlns="${SHEET}" xmlns:r="${OFFICE}">${sheets}</workbook>` },
    { name: 'xl/styles.xml', content: `<styleSheet xmlns="${SHEET}">${styles}</styleSheet>` },
    {
      name: 'xl/worksheets/sheet1.xml',
      content: `${declaration}<worksheet xmlns="${SHEET}"><sheetData>${rows}</sheetData></worksheet>`,
    },
  ])
}

/** Creates the start of an older or encrypted office file that lists a stream with the given name. */
export function createCompoundFile(stream: string): Uint8Array {
  const bytes = Buffer.alloc(4096)
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(bytes)
  bytes.write(stream, 1024, 'utf16le')
  return new Uint8Array(bytes)
}

/** A declaration whose entities expand to a billion words. */
export const BILLION_LAUGHS = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a0 "lol">${Array.from(
  { length: 9 },
  (_, index) => `<!ENTITY a${index + 1} "${`&a${index};`.repeat(10)}">`,
).join('')}]>`
