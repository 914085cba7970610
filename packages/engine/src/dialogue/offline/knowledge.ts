import { type FactIndex, indexFacts } from './fact-index.ts'
import type { Identity } from './identity.ts'
import { type PromptReading, readPrompt } from './read-prompt.ts'

/** Everything that the system messages of a request say. */
export interface Knowledge {
  readonly readings: readonly PromptReading[]
  readonly indexes: readonly FactIndex[]
  readonly identity: Identity
  readonly today: string | null
}

interface Prepared {
  readonly reading: PromptReading
  readonly index: FactIndex
}

const maximumEntries = 64
const maximumChars = 4 * 1024 * 1024

/** Prepares texts once and keeps them while they are in use, at most 64 texts and 4 MiB of them; least recently used go first. */
export function createKnowledgeReader(): (systems: readonly string[]) => Knowledge {
  const prepared = new Map<string, Prepared>()
  let chars = 0
  const prepare = (text: string): Prepared => {
    const known = prepared.get(text)
    if (known !== undefined) {
      prepared.delete(text)
      prepared.set(text, known)
      return known
    }
    const reading = readPrompt(text)
    const entry = { reading, index: indexFacts(reading.facts) }
    prepared.set(text, entry)
    chars += text.length
    for (const oldest of prepared.keys()) {
      if (prepared.size <= maximumEntries && chars <= maximumChars) break
      prepared.delete(oldest)
      chars -= oldest.length
    }
    return entry
  }
  return (systems) => {
    const entries = systems.map(prepare)
    const identities = entries.map((entry) => entry.reading.identity)
    return {
      readings: entries.map((entry) => entry.reading),
      indexes: entries.map((entry) => entry.index),
      identity: {
        introduction: identities.find((identity) => identity.introduction !== null)?.introduction ?? null,
        business: identities.find((identity) => identity.business !== null)?.business ?? null,
        greeting: identities.find((identity) => identity.greeting !== null)?.greeting ?? null,
      },
      today: entries.find((entry) => entry.reading.today !== null)?.reading.today ?? null,
    }
  }
}
