import { readdirSync, readFileSync } from 'node:fs'
import type { ReadDocument } from '@parley/retrieval/read-document'
import { readCorpusFile } from './read-corpus-file.ts'

/** A file of the corpus. */
export interface CorpusDocument {
  /** File name, as used in the questions. */
  readonly name: string
  /** BCP 47 tag of its language. */
  readonly language: string
  /** The bytes of the file, for tests with the real parsers. */
  readonly raw: string
  /** Parsed by the simple readers of the corpus. */
  readonly document: ReadDocument
}

const FOLDER = new URL('./documents/', import.meta.url)

/** Languages of the documents that are not in English. */
const LANGUAGES: Readonly<Record<string, string>> = {
  'campings.md': 'fr',
  'gimnasios.md': 'es',
  'kaffeemaschinen.md': 'de',
  'lindenau-buergerservice.md': 'de',
}

/**
 * Loads the documents of invented businesses, sorted by name. They contain many near-duplicates: texts for branches, models,
 * tariffs and years that differ in one detail.
 */
export function loadCorpus(): CorpusDocument[] {
  return readdirSync(FOLDER)
    .sort()
    .map((name) => {
      const raw = readFileSync(new URL(name, FOLDER), 'utf8')
      return { name, language: LANGUAGES[name] ?? 'en', raw, document: readCorpusFile(name, raw) }
    })
}
