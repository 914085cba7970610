/** Kind of source text at the current position. */
type Inside = 'code' | 'line-comment' | 'block-comment' | 'single' | 'double' | 'template' | 'expression'

const QUOTES: Readonly<Record<string, Inside>> = { "'": 'single', '"': 'double', '`': 'template' }
const CLOSERS: Partial<Record<Inside, string>> = { single: "'", double: '"', template: '`' }

/**
 * Replaces comments, and with `strings` the content of string literals, with spaces. Keeps offsets and line breaks.
 * Recognizes regular expression literals by the preceding code.
 */
export function maskSource(source: string, options: { readonly strings: boolean }): string {
  const masked: string[] = []
  const stack: Inside[] = ['code']
  /** Number of open braces inside each `${`, used to find its end. */
  const braces: number[] = []
  let index = 0
  const blank = (length: number): void => {
    masked.push(source.slice(index, index + length).replace(/[^\n]/g, ' '))
    index += length
  }
  const keep = (length: number): void => {
    masked.push(source.slice(index, index + length))
    index += length
  }
  while (index < source.length) {
    const inside = stack.at(-1) ?? 'code'
    const pair = source.slice(index, index + 2)
    const character = pair.charAt(0)
    if (inside === 'line-comment') {
      if (character === '\n') stack.pop()
      blank(1)
    } else if (inside === 'block-comment') {
      if (pair === '*/') stack.pop()
      blank(pair === '*/' ? 2 : 1)
    } else if (inside === 'code' || inside === 'expression') {
      const regex = character === '/' ? regexLengthAt(source, index, masked.slice(-40).join('')) : 0
      const opened = QUOTES[character]
      if (pair === '//' || pair === '/*') {
        stack.push(pair === '//' ? 'line-comment' : 'block-comment')
        blank(2)
      } else if (regex > 0) {
        if (options.strings) blank(regex)
        else keep(regex)
      } else {
        if (opened) stack.push(opened)
        if (inside === 'expression' && character === '{') braces.push((braces.pop() ?? 0) + 1)
        if (inside === 'expression' && character === '}') {
          const open = braces.pop() ?? 0
          if (open === 0) stack.pop()
          else braces.push(open - 1)
        }
        keep(1)
      }
    } else if (character === '\\') {
      if (options.strings) blank(2)
      else keep(2)
    } else if (character === CLOSERS[inside] || (character === '\n' && inside !== 'template')) {
      stack.pop()
      keep(1)
    } else if (inside === 'template' && pair === '${') {
      stack.push('expression')
      braces.push(0)
      keep(2)
    } else if (options.strings) blank(1)
    else keep(1)
  }
  return masked.join('')
}

/** Returns the length of the regular expression literal at `index`, or 0 if there is none. */
function regexLengthAt(source: string, index: number, before: string): number {
  if (!/(^|[(,=:[!&|?{};>\n]|\breturn|\bcase)\s*$/.test(before)) return 0
  const match = /^\/(?![*/])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/.exec(source.slice(index, index + 2000))
  return match ? match[0].length : 0
}

/** Returns the 1-based line number of an offset. */
export function lineAt(source: string, offset: number): number {
  return source.slice(0, offset).split('\n').length
}
