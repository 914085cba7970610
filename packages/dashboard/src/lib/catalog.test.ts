import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compileMessage } from '@lingui/message-utils/compileMessage'
import { describe, expect, test } from 'vitest'
import { readSourceTexts } from '../testing/source-texts.ts'

const SOURCES = fileURLToPath(new URL('..', import.meta.url))
const { translated, hardCoded } = readSourceTexts()
const inUse = new Set(translated.map(({ text }) => text))
const catalogs = globSync('**/*.de.json', { cwd: SOURCES }).map((file) => ({
  file,
  messages: JSON.parse(readFileSync(`${SOURCES}${file}`, 'utf8')) as Record<string, string>,
}))
const entries = catalogs.flatMap(({ file, messages }) =>
  Object.entries(messages).map(([message, translation]) => ({ file, message, translation })),
)
const german = new Map(entries.map(({ message, translation }) => [message, translation]))

/** Lists the value names in a compiled message. */
function listValueNames(message: string): string[] {
  const compiled = compileMessage(message)
  const found = (parts: unknown): string[] =>
    Array.isArray(parts) ? parts.flatMap((part) => (Array.isArray(part) ? [String(part[0])] : [])) : []
  return [...new Set(found(compiled))].sort()
}

describe('the German catalog', () => {
  test('contains every text of the dashboard', () => {
    const missing = translated.filter(({ text }) => !german.has(text)).map(({ text, file }) => `${file}: ${text}`)
    expect([...new Set(missing)]).toEqual([])
  })

  test('has no unused text', () => {
    const unused = entries
      .filter(({ message }) => !inUse.has(message))
      .map(({ file, message }) => `${file}: ${message}`)
    expect(unused).toEqual([])
  })

  test('translates each text consistently', () => {
    const different = entries.filter(({ message, translation }) => german.get(message) !== translation)
    expect(different).toEqual([])
  })

  test('uses the same values', () => {
    const wrong = entries.filter(
      ({ message, translation }) => String(listValueNames(message)) !== String(listValueNames(translation)),
    )
    expect(wrong).toEqual([])
  })
})

test('no screen contains a text outside the catalog', () => {
  expect(hardCoded.map(({ file, text }) => `${file}: ${text}`)).toEqual([])
})
