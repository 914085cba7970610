import { contentTerms } from './tokenise.ts'

const secretWords =
  /\b(?:passwords?|passcodes?|secrets?|confidential|internal(?:ly)? only|api[ -]?keys?|access tokens?|do not (?:share|reveal|disclose)|not for customers)\b/i
const forbids =
  /\b(?:never|do not|don't|don’t|must not|not allowed to|avoid|refuse to)\b.{0,40}?\b(?:reveal|share|mention|disclose|tell|give out|give|discuss|talk about|say|speak about|quote)\b(.*)/i
const generic = new Set(
  contentTerms('information details anything things customers users callers public request requests internal data'),
)

/** What a prompt says must not be told. */
export interface Confidentiality {
  /** Takes in an instruction; `true` when it forbids telling "it", that is the sentence before. */
  note(instruction: string): boolean
  hides(fact: string): boolean
}

/**
 * Collects prohibitions ("Never share the supplier's prices") and says which facts they cover: a fact that shares most of the
 * words of a prohibition, or that speaks of a secret by itself.
 */
export function createConfidentiality(): Confidentiality {
  const forbidden = new Map<string, readonly string[]>()
  /** For each term the prohibitions that have it, so that a fact is compared with those only. */
  const byTerm = new Map<string, (readonly string[])[]>()
  const forbid = (terms: readonly string[]): void => {
    const key = terms.join(' ')
    if (forbidden.has(key)) return
    forbidden.set(key, terms)
    for (const term of terms) {
      const having = byTerm.get(term)
      if (having === undefined) byTerm.set(term, [terms])
      else having.push(terms)
    }
  }
  return {
    note: (instruction) => {
      const object = forbids.exec(instruction)?.[1]
      if (object === undefined) return false
      const terms = contentTerms(object).filter((term) => !generic.has(term))
      if (terms.length > 0) forbid(terms)
      return terms.length === 0 || /^\s*(?:(?:to )?\w+ )?(?:it|this|that|these|them)\b/i.test(object)
    },
    hides: (fact) => {
      if (secretWords.test(fact)) return true
      if (forbidden.size === 0) return false
      const matches = new Map<readonly string[], number>()
      for (const term of new Set(contentTerms(fact))) {
        for (const words of byTerm.get(term) ?? []) {
          const count = (matches.get(words) ?? 0) + 1
          if (count >= words.length * 0.6) return true
          matches.set(words, count)
        }
      }
      return false
    },
  }
}
