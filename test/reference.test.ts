import { readFileSync } from 'node:fs'
import { operations } from '@parley/contract/index'
import { describe, expect, test } from 'vitest'
import { printConfiguration } from '../scripts/reference/print-configuration.ts'
import { printReference } from '../scripts/reference/print-document.ts'
import { printSettings } from '../scripts/reference/print-settings.ts'

const all = Object.values(operations)

describe('docs/reference/api.md', () => {
  test('is what the contract prints', () => {
    const stored = readFileSync(new URL('../docs/reference/api.md', import.meta.url), 'utf8')
    // A plain comparison: the difference of two long pages would say less than the command that fixes it.
    const isCurrent = stored === printReference(all)
    expect(isCurrent, 'run: node scripts/print-reference.ts > docs/reference/api.md').toBe(true)
  })

  test('has every operation once and no link that leads nowhere', () => {
    const page = printReference(all)
    const headings = page.match(/^#{2,3} .+$/gm)?.map((line) => line.replace(/^#+ /, '')) ?? []
    for (const { summary } of all) expect(headings.filter((heading) => heading === summary)).toHaveLength(1)
    const anchors = headings.map((heading) => heading.toLowerCase().replaceAll(' ', '-'))
    const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map((match) => match[1])
    expect(links.filter((link) => !anchors.includes(link ?? ''))).toEqual([])
  })
})

test.each([
  ['agent-settings', printSettings],
  ['configuration', printConfiguration],
] as const)('docs/reference/%s.md is what its script prints', (page, print) => {
  const stored = readFileSync(new URL(`../docs/reference/${page}.md`, import.meta.url), 'utf8')
  const isCurrent = stored === print()
  expect(isCurrent, `run: node scripts/print-${page}.ts > docs/reference/${page}.md`).toBe(true)
})
