import { existsSync, globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { SETTING_NAMES } from '../packages/server/src/environment-settings.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const readme = readFileSync(`${root}README.md`, 'utf8')

describe('the README', () => {
  test('explains every setting once, and none that does not exist', () => {
    const [, configuration = ''] = readme.split(/^## Configuration$/m)
    const [table = ''] = configuration.split(/^## /m)
    const explained = [...table.matchAll(/^\| `([A-Z_]+)` +\|/gm)].map((match) => match[1])
    expect(explained.toSorted()).toEqual(SETTING_NAMES.toSorted())
  })
})

describe('the documentation', () => {
  const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).map((path) => path.replaceAll('\\', '/'))

  test.each(pages)('%s links only to files that exist', (page) => {
    const text = readFileSync(`${root}${page}`, 'utf8')
    const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map((match) => match[1] ?? '')
    const broken = links.filter((link) => !existsSync(new URL(link, new URL(page, `file://${root}`))))
    expect(broken).toEqual([])
  })
})
