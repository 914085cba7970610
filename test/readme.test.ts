import { existsSync, globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

describe('the documentation', () => {
  const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).map((path) => path.replaceAll('\\', '/'))

  test.each(pages)('%s links only to files that exist', (page) => {
    const text = readFileSync(`${root}${page}`, 'utf8')
    const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map((match) => match[1] ?? '')
    const broken = links.filter((link) => !existsSync(new URL(link, new URL(page, `file://${root}`))))
    expect(broken).toEqual([])
  })
})
