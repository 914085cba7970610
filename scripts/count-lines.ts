/** Prints the size of the repository: `node scripts/count-lines.ts`. All lines of a file count, including blank lines. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..')
const CODE = /\.(ts|tsx|cts|mjs|cjs|js|css)$/
const TEST = /\.test\.tsx?$|-test-kit\.tsx?$|(?:^|\/)testing\/|^test\/|^vitest\.config\.ts$/

const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
const totals = { source: { files: 0, lines: 0, code: 0 }, tests: { files: 0, lines: 0, code: 0 } }
for (const file of files) {
  if (!CODE.test(file)) continue
  const total = TEST.test(file) ? totals.tests : totals.source
  const lines = readFileSync(path.join(root, file), 'utf8').trimEnd().split('\n')
  total.files++
  total.lines += lines.length
  total.code += lines.filter((line) => !/^\s*(?:$|\/\/|\/\*|\*)/.test(line)).length
}
for (const [name, { files, lines, code }] of Object.entries(totals)) {
  console.log(`${name.padEnd(8)} ${files} files  ${lines} lines, ${code} without blank lines and comments`)
}
console.log(`all      ${files.length} files in the repository`)
