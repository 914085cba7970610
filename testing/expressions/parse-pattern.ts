/** A part of a regular expression, at the level of detail that sample texts require. */
export type PatternNode =
  | { kind: 'character'; source: string }
  | { kind: 'empty' }
  | { kind: 'sequence'; parts: PatternNode[] }
  | { kind: 'choice'; options: PatternNode[] }
  | { kind: 'repeat'; inner: PatternNode; min: number; max: number }

const HEX_ESCAPE = /^\\(?:u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z])/i
const NAMED_ESCAPE = /^\\[pP]\{[^}]*\}|^\\k<[^>]*>/
const GROUP_START = /^\((?:\?(?:[:=!]|<[=!]|<[^>]*>|[a-z]*(?:-[a-z]+)?:))?/
const QUANTIFIER = /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/

/** Parses a valid pattern. Assertions, boundaries and backreferences become empty. */
export function parsePattern(source: string, flags: string): PatternNode {
  let position = 0

  function readChoice(): PatternNode {
    const options = [readSequence()]
    while (source[position] === '|') {
      position++
      options.push(readSequence())
    }
    return options.length === 1 ? (options[0] ?? { kind: 'empty' }) : { kind: 'choice', options }
  }

  function readSequence(): PatternNode {
    const parts: PatternNode[] = []
    while (position < source.length && source[position] !== '|' && source[position] !== ')') {
      parts.push(readRepeat(readAtom()))
    }
    return { kind: 'sequence', parts }
  }

  function readAtom(): PatternNode {
    const rest = source.slice(position)
    if (rest.startsWith('(')) return readGroup(GROUP_START.exec(rest)?.[0] ?? '(')
    if (rest.startsWith('[')) return readCharacter(findClassEnd(rest, flags.includes('v')))
    if (/^(?:\^|\$|\\[bB])/.test(rest)) return skip(rest.startsWith('\\') ? 2 : 1)
    const named = NAMED_ESCAPE.exec(rest)?.[0]
    if (named?.startsWith('\\k')) return skip(named.length)
    if (/^\\[1-9]/.test(rest)) return skip(2)
    const escaped = named ?? HEX_ESCAPE.exec(rest)?.[0] ?? (rest.startsWith('\\') ? rest.slice(0, 2) : undefined)
    return readCharacter(escaped?.length ?? String.fromCodePoint(rest.codePointAt(0) ?? 0).length)
  }

  function readGroup(start: string): PatternNode {
    position += start.length
    const inner = readChoice()
    position++
    return /^\(\?<?[=!]/.test(start) ? { kind: 'empty' } : inner
  }

  function readRepeat(inner: PatternNode): PatternNode {
    const quantifier = QUANTIFIER.exec(source.slice(position))
    if (!quantifier) return inner
    position += quantifier[0].length
    if (quantifier[1] === undefined) {
      const sign = quantifier[0].charAt(0)
      return { kind: 'repeat', inner, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Number.POSITIVE_INFINITY }
    }
    const min = Number(quantifier[1])
    const maximum = quantifier[3] ? Number(quantifier[3]) : Number.POSITIVE_INFINITY
    return { kind: 'repeat', inner, min, max: quantifier[2] ? maximum : min }
  }

  function readCharacter(length: number): PatternNode {
    position += length
    return { kind: 'character', source: source.slice(position - length, position) }
  }

  function skip(length: number): PatternNode {
    position += length
    return { kind: 'empty' }
  }

  return readChoice()
}

/** Returns the length of the character class at the start of a text. */
function findClassEnd(text: string, nested: boolean): number {
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (character === '\\') index++
    else if (character === '[' && (depth === 0 || nested)) depth++
    else if (character === ']') {
      depth--
      if (depth === 0) return index + 1
    }
  }
  return text.length
}
