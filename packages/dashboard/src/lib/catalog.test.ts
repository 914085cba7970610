import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compileMessage } from '@lingui/message-utils/compileMessage'
import { describe, expect, test } from 'vitest'
import { readSourceTexts } from '../testing/source-texts.ts'

const SOURCES = fileURLToPath(new URL('..', import.meta.url))
const { translated, hardCoded } = readSourceTexts()
const usedTexts = new Set(translated.map(({ text }) => text))
const catalogs = globSync('**/*.de.json', { cwd: SOURCES }).map((file) => ({
  file,
  messages: JSON.parse(readFileSync(`${SOURCES}${file}`, 'utf8')) as Record<string, string>,
}))
const entries = catalogs.flatMap(({ file, messages }) =>
  Object.entries(messages).map(([message, translation]) => ({ file, message, translation })),
)
const translations = new Map(entries.map(({ message, translation }) => [message, translation]))

/** Lists the value names in a compiled message. */
function listValueNames(message: string): string[] {
  const compiled = compileMessage(message)
  const listNames = (parts: unknown): string[] =>
    Array.isArray(parts) ? parts.flatMap((part) => (Array.isArray(part) ? [String(part[0])] : [])) : []
  return [...new Set(listNames(compiled))].sort()
}

describe('the German catalog', () => {
  test('contains every text of the dashboard', () => {
    const missingTexts = translated
      .filter(({ text }) => !translations.has(text))
      .map(({ text, file }) => `${file}: ${text}`)
    expect([...new Set(missingTexts)]).toEqual([])
  })

  test('has no unused text', () => {
    const unusedTexts = entries
      .filter(({ message }) => !usedTexts.has(message))
      .map(({ file, message }) => `${file}: ${message}`)
    expect(unusedTexts).toEqual([])
  })

  test('translates each text consistently', () => {
    const conflictingEntries = entries.filter(({ message, translation }) => translations.get(message) !== translation)
    expect(conflictingEntries).toEqual([])
  })

  test('uses the placeholders of the English text', () => {
    const mismatchedEntries = entries.filter(
      ({ message, translation }) => String(listValueNames(message)) !== String(listValueNames(translation)),
    )
    expect(mismatchedEntries).toEqual([])
  })
})

test('every displayed text is in the catalog', () => {
  expect(hardCoded.map(({ file, text }) => `${file}: ${text}`)).toEqual([])
})
