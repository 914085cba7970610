/** Stands in no word. */
const BETWEEN = ' '

/** The term of two neighbours, beside the terms of each. */
export function pairOf(left: string, right: string): string {
  return left + BETWEEN + right
}

/** Whether a term is that of two neighbours. */
export function isPair(term: string): boolean {
  return term.includes(BETWEEN)
}
