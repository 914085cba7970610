import { decodeText } from '../decode-text.ts'
import type { OfficeParts } from '../office-container.ts'
import { createDamagedFileError } from '../unreadable-content.ts'
import { createNumberFormat, type NumberFormat } from './number-format.ts'
import { scanXml } from './scan-xml.ts'

/** Style of a cell. */
export interface CellStyle {
  readonly format: NumberFormat
  readonly isBold: boolean
}

/** A workbook with unparsed sheets. */
export interface Workbook {
  /** Visible sheets. */
  readonly sheets: readonly { readonly name: string; readonly source: string }[]
  readonly strings: readonly string[]
  readonly styles: readonly CellStyle[]
}

interface SheetEntry {
  readonly name: string
  readonly relation: string
}

/** Reads the sheets, strings and styles of a workbook. */
export function readWorkbook(parts: OfficeParts): Workbook {
  const path =
    readRelations(parts, '').find(({ type }) => type.endsWith('/officeDocument'))?.target ?? 'xl/workbook.xml'
  const { entries, isFrom1904 } = readEntries(readPartText(parts, path))
  const relations = readRelations(parts, path)
  const readRelatedPart = (match: (relation: Relation) => boolean): string =>
    readPartText(parts, relations.find(match)?.target ?? '')
  const sheets = entries.map(({ name, relation }) => ({ name, source: readRelatedPart(({ id }) => id === relation) }))
  if (!sheets.some(({ source }) => source !== '')) throw createDamagedFileError('an Excel workbook')
  return {
    sheets,
    strings: readStrings(readRelatedPart(({ type }) => type.endsWith('/sharedStrings'))),
    styles: readStyles(
      readRelatedPart(({ type }) => type.endsWith('/styles')),
      isFrom1904,
    ),
  }
}

interface Relation {
  readonly id: string
  readonly type: string
  /** Path of a part. */
  readonly target: string
}

function readRelations(parts: OfficeParts, path: string): Relation[] {
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const relations: Relation[] = []
  scanXml(readPartText(parts, `${folder}_rels/${path.slice(folder.length)}.rels`), {
    onOpen(name, attribute) {
      if (name !== 'Relationship') return
      const target = URL.parse(attribute('Target') ?? '', `part:/${folder}`)?.pathname.slice(1) ?? ''
      relations.push({ id: attribute('Id') ?? '', type: attribute('Type') ?? '', target: decodeURIComponent(target) })
    },
  })
  return relations
}

function readPartText(parts: OfficeParts, path: string): string {
  const content = parts.get(path)
  return content === undefined ? '' : decodeText(content)
}

function readEntries(source: string): { entries: SheetEntry[]; isFrom1904: boolean } {
  const entries: SheetEntry[] = []
  let isFrom1904 = false
  scanXml(source, {
    onOpen(name, attribute) {
      if (name === 'workbookPr') isFrom1904 = /^(1|true)$/.test(attribute('date1904') ?? '')
      if (name !== 'sheet' || /hidden/i.test(attribute('state') ?? '')) return
      entries.push({ name: attribute('name') ?? '', relation: attribute('r:id') ?? '' })
    },
  })
  return { entries, isFrom1904 }
}

/** Reads the texts that cells reference by number, without phonetic text. */
function readStrings(source: string): string[] {
  const strings: string[] = []
  let text = ''
  let isText = false
  let isPhoneticText = false
  scanXml(source, {
    onOpen(name) {
      if (name === 'si') text = ''
      if (name === 'rPh') isPhoneticText = true
      isText = name === 't' && !isPhoneticText
    },
    onClose(name) {
      isText = false
      if (name === 'rPh') isPhoneticText = false
      if (name === 'si') strings.push(text)
    },
    onText(part) {
      if (isText) text += part
    },
  })
  return strings
}

function readStyles(source: string, isFrom1904: boolean): CellStyle[] {
  const codes = new Map<number, string>()
  const boldFonts: boolean[] = []
  const styles: CellStyle[] = []
  let section = ''
  scanXml(source, {
    onOpen(name, attribute) {
      if (name === 'fonts' || name === 'cellXfs') section = name
      const readNumber = (attributeName: string): number => Number(attribute(attributeName) ?? 0)
      if (name === 'numFmt') codes.set(readNumber('numFmtId'), attribute('formatCode') ?? '')
      if (section === 'fonts' && name === 'font') boldFonts.push(false)
      if (section === 'fonts' && name === 'b' && !/^(0|false)$/.test(attribute('val') ?? ''))
        boldFonts[boldFonts.length - 1] = true
      if (section === 'cellXfs' && name === 'xf') {
        const id = readNumber('numFmtId')
        const format = createNumberFormat(id, codes.get(id), isFrom1904)
        styles.push({ format, isBold: boldFonts[readNumber('fontId')] ?? false })
      }
    },
    onClose(name) {
      if (name === section) section = ''
    },
  })
  return styles
}
