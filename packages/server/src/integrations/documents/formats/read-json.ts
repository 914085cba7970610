import type { DocumentBlock, ReadDocument } from '@parley/retrieval/read-document'
import type { DocumentLimits } from '../document-limits.ts'
import { UnreadableContentError } from '../unreadable-content.ts'

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
type JsonObject = { readonly [key: string]: Json }

/** Keys that contain the name of a record. */
const NAME_KEYS = ['title', 'name', 'question', 'label', 'heading', 'id']
/** Records with more fields are read one by one instead of as a table. */
const MAX_TABLE_COLUMNS = 20
const MAX_NAME_LENGTH = 120

/** Whether a text is JSON or JSON lines. A text that is declared as JSON does not have to be valid. */
export function isJsonText(text: string, isDeclared: boolean): boolean {
  const firstCharacter = /^[\s\ufeff]*(.)/.exec(text)?.[1]
  if (firstCharacter !== '{' && firstCharacter !== '[') return false
  return isDeclared || parseJson(text) !== undefined
}

/** Reads JSON: arrays of records as tables or one by one, everything else as `path: value` lines. */
export function readJson(text: string, { nesting }: DocumentLimits): ReadDocument {
  if (isDeeperThan(text, nesting)) {
    throw new UnreadableContentError(`The document exceeds the limit of ${nesting} nested JSON levels: flatten it.`)
  }
  const value = parseJson(text)
  if (value === undefined)
    throw new UnreadableContentError('The document is not valid JSON: correct it and add it again.')
  const blocks: DocumentBlock[] = []
  writeValue(blocks, '', value, 1)
  return { title: readTitle(value), blocks, pageCount: null, links: [] }
}

function parseJson(text: string): Json | undefined {
  const trimmed = text.replace(/^\ufeff/, '')
  try {
    return JSON.parse(trimmed) as Json
  } catch {
    return parseLines(trimmed)
  }
}

function parseLines(text: string): Json | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length < 2) return undefined
  try {
    return lines.map((line) => JSON.parse(line) as Json)
  } catch {
    return undefined
  }
}

function isDeeperThan(text: string, maxDepth: number): boolean {
  let depth = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '[' || token === '{') depth += 1
    else if (token === ']' || token === '}') depth -= 1
    if (depth > maxDepth) return true
  }
  return false
}

function readTitle(value: Json): string | null {
  return isObject(value) && typeof value.title === 'string' ? value.title : null
}

function writeValue(blocks: DocumentBlock[], path: string, value: Json, level: number): void {
  if (Array.isArray(value)) writeArray(blocks, path, value, level)
  else if (isObject(value)) writeObject(blocks, path, value, level)
  else writeLines(blocks, [formatLine(path, value)])
}

/** Writes plain members first, as a group of lines, and then each nested member under its own heading. */
function writeObject(blocks: DocumentBlock[], path: string, value: JsonObject, level: number): void {
  const members = Object.entries(value)
  writeLines(
    blocks,
    members.filter(([, member]) => isPlain(member)).map(([key, member]) => formatLine(joinPath(path, key), member)),
  )
  for (const [key, member] of members) {
    if (isPlain(member)) continue
    writeHeading(blocks, joinPath(path, key), level)
    writeValue(blocks, joinPath(path, key), member, level + 1)
  }
}

function writeArray(blocks: DocumentBlock[], path: string, values: readonly Json[], level: number): void {
  const table = toTable(values)
  if (values.every(isPlain)) writeLines(blocks, [formatLine(path, values)])
  else if (table !== null) blocks.push(table)
  else writeElements(blocks, path, values, level)
}

function writeElements(blocks: DocumentBlock[], path: string, values: readonly Json[], level: number): void {
  for (const [index, value] of values.entries()) {
    const elementPath = `${path}[${index}]`
    if (!isPlain(value)) writeHeading(blocks, findRecordName(value) ?? elementPath, level)
    writeValue(blocks, isObject(value) ? '' : elementPath, value, level + 1)
  }
}

function toTable(values: readonly Json[]): DocumentBlock | null {
  if (!values.every(isObject) || values.length < 2) return null
  const columns = [...new Set(values.flatMap((value) => Object.keys(value)))]
  const isFlat = values.every((value) => Object.values(value).every(isPlain))
  if (!isFlat || columns.length > MAX_TABLE_COLUMNS) return null
  const rows = values.map((value) => columns.map((column) => toPlainText(value[column] ?? null)))
  return { kind: 'table', header: columns, rows, page: null }
}

function findRecordName(value: Json): string | null {
  if (!isObject(value)) return null
  const name = NAME_KEYS.map((key) => value[key]).find(
    (candidate) => typeof candidate === 'string' && candidate.trim() !== '',
  )
  return typeof name === 'string' ? name.slice(0, MAX_NAME_LENGTH) : null
}

function writeHeading(blocks: DocumentBlock[], text: string, level: number): void {
  if (text !== '') blocks.push({ kind: 'heading', level, text, page: null })
}

function writeLines(blocks: DocumentBlock[], lines: readonly string[]): void {
  if (lines.length > 0) blocks.push({ kind: 'preformatted', text: lines.join('\n'), page: null })
}

function formatLine(path: string, value: Json): string {
  return path === '' ? toPlainText(value) : `${path}: ${toPlainText(value)}`
}

function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a value fits on a line: a scalar or an array of scalars. */
function isPlain(value: Json): boolean {
  if (Array.isArray(value)) return value.every((element) => typeof element !== 'object' || element === null)
  return !isObject(value)
}

function toPlainText(value: Json): string {
  if (value === null) return ''
  if (Array.isArray(value)) return value.map(toPlainText).join(', ')
  return typeof value === 'string' ? value : String(value)
}
