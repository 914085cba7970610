import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { readMessage } from '../../../packages/dashboard/src/testing/read-message.ts'
import type { Words } from '../../full/dashboard/scene-records.ts'

const SOURCES = fileURLToPath(new URL('../../../packages/dashboard/src/', import.meta.url))

/** Prefix that distinguishes user texts from dashboard texts. */
const MARK = '§'

export const germanWords: Words = (plain, most = 5_000) => `${MARK} ${plain}`.slice(0, most)

const MIN_LETTERS = 4

/** Patterns of English catalog texts that differ in German. */
const ENGLISH: readonly RegExp[] = globSync('**/*.de.json', { cwd: SOURCES })
  .flatMap((file) => Object.entries(JSON.parse(readFileSync(SOURCES + file, 'utf8')) as Record<string, string>))
  .filter(([english, german]) => english !== german && isDistinctiveMessage(english))
  .map(([english]) => new RegExp(`^${patternOf(readMessage(english))}$`, 'u'))

/** Whether a message has enough fixed text. `{used} of {most}` would match too many sentences. */
function isDistinctiveMessage(message: string): boolean {
  const words = message.replace(/\{[^}]*\}/g, '')
  return words === message || (words.match(/\p{L}/gu) ?? []).length >= MIN_LETTERS
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}

/** Converts a compiled message to a pattern with wildcards for placeholders and alternatives for plurals. */
function patternOf(compiled: unknown): string {
  if (typeof compiled === 'string') return literally(compiled)
  if (!Array.isArray(compiled)) return '.+'
  return compiled.map(partPattern).join('')
}

function partPattern(part: unknown): string {
  if (typeof part === 'string') return part === '#' ? '[\\d.,]+' : literally(part)
  const [, , forms] = part as readonly [string, string?, Readonly<Record<string, unknown>>?]
  if (typeof forms !== 'object') return '.+'
  const choices = Object.entries(forms).filter(([name]) => name !== 'offset')
  return `(?:${choices.map(([, form]) => patternOf(form)).join('|')})`
}

/** Runs in the page and returns its visible and accessible text, without code and user texts. */
const READ = `(() => {
  const texts = []
  const isData = (element) => element.closest('pre, code, textarea, svg, script, style, .cm-editor, [translate=no]') !== null
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.parentElement !== null && !isData(node.parentElement)) texts.push(node.textContent)
  }
  for (const element of document.querySelectorAll('[aria-label], [placeholder], [title], [alt]')) {
    if (isData(element)) continue
    for (const name of ['aria-label', 'placeholder', 'title', 'alt']) texts.push(element.getAttribute(name) ?? '')
  }
  return [...new Set([document.title, ...texts].map((text) => text.trim()).filter((text) => /\\p{L}/u.test(text)))]
})()`

/** Returns the English catalog texts on a German page. */
export async function findEnglish(page: Page): Promise<readonly string[]> {
  const texts = await page.evaluate<string[]>(READ)
  return texts.filter((text) => !text.includes(MARK) && ENGLISH.some((pattern) => pattern.test(text)))
}
