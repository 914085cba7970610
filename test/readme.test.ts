import { existsSync, globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

describe('the documentation', () => {
  const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).map((path) => path.replaceAll('\\', '/'))

  test.each(pages)('%s links only to files and headings that exist', (page) => {
    const links = readFileSync(`${root}${page}`, 'utf8').matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)
    const broken = [...links].filter(([, path, anchor]) => {
      const target = new URL(path || page, new URL(path ? page : '', `file://${root}`))
      return !existsSync(target) || (anchor !== undefined && !headingsOf(target).includes(anchor))
    })
    expect(broken.map(([link]) => link)).toEqual([])
  })
})

/** Returns the heading anchors of a page in GitHub's format. */
function headingsOf(page: URL): string[] {
  const headings = readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('ARCHITECTURE.md names only existing paths', () => {
  const named = readFileSync(`${root}ARCHITECTURE.md`, 'utf8').matchAll(/`([\w.-]+(?:\/[\w.-]*)+|[\w-]+\.\w+)`/g)
  const folders = ['', 'packages/server/src/', 'packages/*/src/', 'packages/*/src/*/', 'packages/*/src/*/*/']
  const missing = [...named]
    .map(([, path = '']) => path)
    .filter((path) => folders.every((folder) => globSync(`${folder}${path}`, { cwd: root }).length === 0))
  expect(missing).toEqual([])
})
