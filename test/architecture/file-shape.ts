import { isTestCode } from './layers.ts'
import { lineAt, maskSource } from './source-text.ts'

export const MAX_LINES = 400
const MAX_TEST_LINES = 600

/** Names that do not describe the content of a file. */
const EMPTY_NAMES = /^(utils?|helpers?|common|shared|types|managers?|misc)$/
const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*$/

/** Reports a file that is too long. */
export function lengthProblems(path: string, source: string): string[] {
  const lines = source.replace(/\n$/, '').split('\n').length
  const limit = isTestCode(path) ? MAX_TEST_LINES : MAX_LINES
  return lines > limit ? [`${path}: ${lines} lines, at most ${limit}`] : []
}

/** Reports vague names and names that are not kebab case in a path. */
export function nameProblems(path: string): string[] {
  return path.split('/').flatMap((part) => {
    const stem = part.replace(/\.(test\.)?[cm]?tsx?$/, '')
    const last = stem.split('-').at(-1) ?? stem
    if (EMPTY_NAMES.test(stem) || /^(utils?|helpers?|manager|misc)$/.test(last))
      return [`${path}: "${stem}" says nothing`]
    // Configuration files have dotted names, such as vite.config.ts.
    return stem.split('.').every((word) => KEBAB_CASE.test(word)) ? [] : [`${path}: "${part}" is not kebab-case`]
  })
}

/** Reports default exports, which each importer can name differently. */
export function defaultExports(path: string, source: string): string[] {
  const code = maskSource(source, { strings: true })
  return [...code.matchAll(/\bexport\s+default\b|\bas\s+default\b/g)].map(
    (match) => `${path}:${lineAt(source, match.index)}: no default exports`,
  )
}
