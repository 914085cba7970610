import { readFileSync } from 'node:fs'
import { operations } from '@parley/contract/index'
import { printReference } from '@parley/contract/reference/print-reference'
import { expect, test } from 'vitest'
import { printConfiguration } from '../scripts/reference/print-configuration.ts'
import { printSettings } from '../scripts/reference/print-settings.ts'

const all = Object.values(operations)

test('the API reference has every operation once and no broken links', () => {
  const page = printReference(all)
  const headings = page.match(/^#{2,3} .+$/gm)?.map((line) => line.replace(/^#+ /, '')) ?? []
  for (const { summary } of all) expect(headings.filter((heading) => heading === summary)).toHaveLength(1)
  const anchors = headings.map((heading) => heading.toLowerCase().replaceAll(' ', '-'))
  const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map((match) => match[1])
  expect(links.filter((link) => !anchors.includes(link ?? ''))).toEqual([])
})

test.each([
  ['agent-settings', printSettings],
  ['configuration', printConfiguration],
] as const)('docs/reference/%s.md is what its script prints', (page, print) => {
  const stored = readFileSync(new URL(`../docs/reference/${page}.md`, import.meta.url), 'utf8')
  const isCurrent = stored === print()
  expect(isCurrent, `run: node scripts/print-${page}.ts > docs/reference/${page}.md`).toBe(true)
})
