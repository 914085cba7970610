import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const TABLE = new URL('../../../../../docs/design/turn-taking.md', import.meta.url)

test('the table of scenarios in the documentation and the tests agree', () => {
  const rows = [...readFileSync(TABLE, 'utf8').matchAll(/^\| (S\d+) +\|.*\| `([\w.-]+)` +\|$/gmu)]
  const emitted = rows.map(([, number, file]) => `${number} ${file}`)
  const tested = new Set<string>()
  for (const file of readdirSync(import.meta.dirname).filter((name) => /^scenarios-.*\.test\.ts$/u.test(name))) {
    const source = readFileSync(new URL(file, import.meta.url), 'utf8')
    for (const [, numbers = ''] of source.matchAll(/'((?:S\d\d ?)+)/gu)) {
      for (const number of numbers.trim().split(' ')) tested.add(`${number} ${file}`)
    }
  }
  expect(emitted.length).toBeGreaterThan(30)
  expect(emitted).toEqual([...tested].sort((one, other) => one.localeCompare(other)))
})
