/** Number of tokens proposed after a deviation from the draft. Wrong proposals cost time. */
const MAX_PROPOSED_AFTER_DEVIATION = 8
/** Number of draft tokens that are searched for the last token. */
const SEARCHED_TOKENS = 6

/**
 * Proposes the tokens that follow, from the draft of a similar text. Follows the draft as long as it matches. After a deviation,
 * continues behind the next occurrence of the last token, or assumes that one token was replaced.
 */
export function proposeTokens(draft: readonly number[], tokens: readonly number[]): readonly number[] {
  let position = 0
  let hasDeviated = false
  for (const token of tokens) {
    if (draft[position] === token) {
      position += 1
      continue
    }
    hasDeviated = true
    const offset = draft.slice(position, position + SEARCHED_TOKENS).indexOf(token)
    position += offset === -1 ? 1 : offset + 1
  }
  return draft.slice(position, hasDeviated ? position + MAX_PROPOSED_AFTER_DEVIATION : undefined)
}
