import { contentTerms } from './tokenise.ts'

const secretWords =
  /\b(?:passwords?|passcodes?|secrets?|confidential|internal(?:ly)? only|api[ -]?keys?|access tokens?|do not (?:share|reveal|disclose)|not for customers)\b/i
const forbids =
  /\b(?:never|do not|don't|don’t|must not|not allowed to|avoid|refuse to)\b.{0,40}?\b(?:reveal|share|mention|disclose|tell|give out|give|discuss|talk about|say|speak about|quote)\b(.*)$/i
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
  const forbidden: string[][] = []
  return {
    note: (instruction) => {
      const object = forbids.exec(instruction)?.[1]
      if (object === undefined) return false
      const terms = contentTerms(object).filter((term) => !generic.has(term))
      if (terms.length > 0) forbidden.push(terms)
      return terms.length === 0 || /^\s*(?:(?:to )?\w+ )?(?:it|this|that|these|them)\b/i.test(object)
    },
    hides: (fact) => {
      if (secretWords.test(fact)) return true
      if (forbidden.length === 0) return false
      const terms = new Set(contentTerms(fact))
      return forbidden.some(
        (words) => words.filter((word) => terms.has(word)).length >= Math.max(1, words.length * 0.6),
      )
    },
  }
}
