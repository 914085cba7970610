import { isTestCode } from './layers.ts'
import { lineAt, maskSource } from './source-text.ts'

export const MAX_LINES = 400
const MAX_TEST_LINES = 600

/** Names that say nothing about what is inside and so collect everything. */
const EMPTY_NAMES = /^(utils?|helpers?|common|shared|types|managers?|misc)$/
const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*$/

/** What is wrong with the length of a file, if anything. */
export function lengthProblems(path: string, source: string): string[] {
  const lines = source.replace(/\n$/, '').split('\n').length
  const limit = isTestCode(path) ? MAX_TEST_LINES : MAX_LINES
  return lines > limit ? [`${path}: ${lines} lines, at most ${limit}`] : []
}

/** What is wrong with the names of a file and its folders, if anything. */
export function nameProblems(path: string): string[] {
  return path.split('/').flatMap((part) => {
    const stem = part.replace(/\.(test\.)?[cm]?tsx?$/, '')
    const last = stem.split('-').at(-1) ?? stem
    if (EMPTY_NAMES.test(stem) || /^(utils?|helpers?|manager|misc)$/.test(last))
      return [`${path}: "${stem}" says nothing`]
    // A file may begin with a configuration's dotted name, such as vite.config.ts.
    return stem.split('.').every((word) => KEBAB_CASE.test(word)) ? [] : [`${path}: "${part}" is not kebab-case`]
  })
}

/** Default exports, which every importer names as it likes. */
export function defaultExports(path: string, source: string): string[] {
  const code = maskSource(source, { strings: true })
  return [...code.matchAll(/\bexport\s+default\b|\bas\s+default\b/g)].map(
    (match) => `${path}:${lineAt(source, match.index)}: no default exports`,
  )
}
