import { decodeText } from '../decode-text.ts'
import type { OfficeParts } from '../office-container.ts'
import { createCorruptFileError } from '../unreadable-content.ts'
import { createNumberFormatter, type NumberFormatter } from './number-format.ts'
import { scanXml } from './scan-xml.ts'

/** Style of a cell. */
export interface CellStyle {
  readonly format: NumberFormatter
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
  readonly relationId: string
}

/** Reads the sheets, strings and styles of a workbook. */
export function readWorkbook(parts: OfficeParts): Workbook {
  const path =
    readRelations(parts, '').find(({ type }) => type.endsWith('/officeDocument'))?.target ?? 'xl/workbook.xml'
  const { entries, uses1904Dates } = readEntries(readPartText(parts, path))
  const relations = readRelations(parts, path)
  const readRelatedPart = (isMatch: (relation: Relation) => boolean): string =>
    readPartText(parts, relations.find(isMatch)?.target ?? '')
  const sheets = entries.map(({ name, relationId }) => ({
    name,
    source: readRelatedPart(({ id }) => id === relationId),
  }))
  if (!sheets.some(({ source }) => source !== '')) throw createCorruptFileError('an Excel workbook')
  return {
    sheets,
    strings: readStrings(readRelatedPart(({ type }) => type.endsWith('/sharedStrings'))),
    styles: readStyles(
      readRelatedPart(({ type }) => type.endsWith('/styles')),
      uses1904Dates,
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
    onOpen(name, getAttribute) {
      if (name !== 'Relationship') return
      const target = URL.parse(getAttribute('Target') ?? '', `part:/${folder}`)?.pathname.slice(1) ?? ''
      relations.push({
        id: getAttribute('Id') ?? '',
        type: getAttribute('Type') ?? '',
        target: decodeURIComponent(target),
      })
    },
  })
  return relations
}

function readPartText(parts: OfficeParts, path: string): string {
  const content = parts.get(path)
  return content === undefined ? '' : decodeText(content)
}

function readEntries(source: string): { entries: SheetEntry[]; uses1904Dates: boolean } {
  const entries: SheetEntry[] = []
  let uses1904Dates = false
  scanXml(source, {
    onOpen(name, getAttribute) {
      if (name === 'workbookPr') uses1904Dates = /^(1|true)$/.test(getAttribute('date1904') ?? '')
      if (name !== 'sheet' || /hidden/i.test(getAttribute('state') ?? '')) return
      entries.push({ name: getAttribute('name') ?? '', relationId: getAttribute('r:id') ?? '' })
    },
  })
  return { entries, uses1904Dates }
}

/** Reads the shared strings, which cells reference by index. Skips phonetic text. */
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
    onText(textPart) {
      if (isText) text += textPart
    },
  })
  return strings
}

function readStyles(source: string, uses1904Dates: boolean): CellStyle[] {
  const formatCodes = new Map<number, string>()
  const boldFonts: boolean[] = []
  const styles: CellStyle[] = []
  let section = ''
  scanXml(source, {
    onOpen(name, getAttribute) {
      if (name === 'fonts' || name === 'cellXfs') section = name
      const readNumber = (attributeName: string): number => Number(getAttribute(attributeName) ?? 0)
      if (name === 'numFmt') formatCodes.set(readNumber('numFmtId'), getAttribute('formatCode') ?? '')
      if (section === 'fonts' && name === 'font') boldFonts.push(false)
      if (section === 'fonts' && name === 'b' && !/^(0|false)$/.test(getAttribute('val') ?? ''))
        boldFonts[boldFonts.length - 1] = true
      if (section === 'cellXfs' && name === 'xf') {
        const id = readNumber('numFmtId')
        const format = createNumberFormatter(id, formatCodes.get(id), uses1904Dates)
        styles.push({ format, isBold: boldFonts[readNumber('fontId')] ?? false })
      }
    },
    onClose(name) {
      if (name === section) section = ''
    },
  })
  return styles
}
