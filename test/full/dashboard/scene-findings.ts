import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

const AXE_FILE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const reading = readFile(AXE_FILE, 'utf8')

interface AxeViolation {
  readonly id: string
  readonly help: string
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[]
}

/** Returns the axe-core violations on a page, one line each. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>(`typeof axe === 'object'`))) await page.evaluate(await reading)
  const options = JSON.stringify({ runOnly: RULES, resultTypes: ['violations'] })
  const violations = await page.evaluate<AxeViolation[]>(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  )
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.slice(0, 4).map(({ target, failureSummary = '' }) => {
      const why = id === 'color-contrast' ? ` – ${failureSummary.split('\n')[1]?.trim() ?? ''}` : ''
      return `${id}: ${target.join(' ')} (${help})${why}`
    }),
  )
}

/** Runs in the page and returns layout measurements. */
const FIND_FLAWS = `(() => {
  const flaws = []
  const name = (element) => element.tagName.toLowerCase() + (element.className && typeof element.className === 'string' ? '.' + element.className.split(' ').slice(0, 3).join('.') : '') +
    ' "' + element.textContent.trim().slice(0, 30) + '"'
  const headings = [...document.querySelectorAll('h1')]
  if (headings.length !== 1) flaws.push(headings.length + ' headings h1')
  const title = headings[0]?.textContent.trim() ?? ''
  if (title === '' || !document.title.startsWith(title)) flaws.push('the window is named "' + document.title + '", the page "' + title + '"')
  const main = document.querySelector('main') ?? document.body
  if (main.innerText.trim() === '') flaws.push('blank')
  if (document.documentElement.scrollWidth > innerWidth) {
    const isClipped = (element) => {
      for (let at = element.parentElement; at !== null && at !== document.documentElement; at = at.parentElement) {
        if (getComputedStyle(at).overflowX !== 'visible') return true
      }
      return false
    }
    const wide = [...document.body.querySelectorAll('*')].filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && !isClipped(element))
    flaws.push('wider than the window by ' + (document.documentElement.scrollWidth - innerWidth) + ' px: ' + wide.slice(-3).map(name).join(', '))
  }
  return flaws
})()`

/** Returns problems with headings, the window title, blank pages and horizontal overflow. */
export function findFlaws(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(FIND_FLAWS)
}
