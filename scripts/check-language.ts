/**
 * Lists words for which plain American English has better terms, and fails if there are any: `node scripts/check-language.ts`.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { findBannedWords } from './language/find-banned-words.ts'

const root = path.join(import.meta.dirname, '..')
const CHECKED = /\.(ts|tsx|cts|mjs|cjs|md|html)$|\.de\.json$/
/** Documents that tests search. Questions quote them and measurements depend on their exact words. */
const SEARCHED_DOCUMENTS = 'testing/knowledge/documents/'
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')

let count = 0
for (const file of files) {
  if (!CHECKED.test(file) || file.startsWith(SEARCHED_DOCUMENTS)) continue
  for (const { line, word, text } of findBannedWords(file, readFileSync(path.join(root, file), 'utf8'))) {
    count++
    console.log(`${file}:${line}  "${word}"  ${text}`)
  }
}
if (count > 0) {
  console.log(`${count} words to replace; CONTRIBUTING.md has the standard terms.`)
  process.exitCode = 1
}
