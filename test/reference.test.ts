import { readFileSync } from 'node:fs'
import { operations } from '@parley/contract/index'
import { printReference } from '@parley/contract/reference/print-reference'
import { expect, test } from 'vitest'
import { printSettings } from '../scripts/reference/print-settings.ts'

const all = Object.values(operations)

test('the API reference has every operation once and no link that leads nowhere', () => {
  const page = printReference(all)
  const headings = page.match(/^#{2,3} .+$/gm)?.map((line) => line.replace(/^#+ /, '')) ?? []
  for (const { summary } of all) expect(headings.filter((heading) => heading === summary)).toHaveLength(1)
  const anchors = headings.map((heading) => heading.toLowerCase().replaceAll(' ', '-'))
  const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map((match) => match[1])
  expect(links.filter((link) => !anchors.includes(link ?? ''))).toEqual([])
})

test('docs/reference/agent-settings.md is what the contract prints', () => {
  const stored = readFileSync(new URL('../docs/reference/agent-settings.md', import.meta.url), 'utf8')
  const isCurrent = stored === printSettings()
  expect(isCurrent, 'run: node scripts/print-agent-settings.ts > docs/reference/agent-settings.md').toBe(true)
})
