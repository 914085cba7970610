/** A `{{variable}}` of a prompt, with where it stands. */
export interface VariableUse {
  /** Null where the name itself holds a variable, so that nobody can know it: `current_time_{{zone}}`. */
  readonly name: string | null
  /** Characters from the beginning, braces included. */
  readonly from: number
  readonly to: number
  /** Written with a value for when there is none: `{{name | friend}}`. */
  readonly hasDefault: boolean
}

/** An open `{{` while a text is read. */
interface Open {
  readonly from: number
  /** Its text so far, with a mark in the place of every variable inside. */
  text: string
  height: number
}

/** Stands for a variable inside the name of another: no name holds it. */
const INNER = '\0'

/** Finds the variables of a prompt as the server does when it fills them in, inner ones before those around them. */
export function variableUses(prompt: string): VariableUse[] {
  const found: VariableUse[] = []
  const open: Open[] = []
  let at = 0
  for (const { 0: braces, index } of prompt.matchAll(/\{{2,}|\}{2,}/g)) {
    append(open, prompt.slice(at, index))
    at = index + braces.length
    if (braces.startsWith('{')) openAll(open, braces.length, index)
    else closeAll(open, { found, count: braces.length, index })
  }
  return found
}

/** Names of the variables of a prompt, each once, in the order in which they are met: `{{a}}`, `{{a.b}}`, `{{a | default}}`. */
export function variablesIn(prompt: string): string[] {
  return [...new Set(variableUses(prompt).flatMap(({ name }) => (name === null ? [] : [name])))]
}

function append(open: readonly Open[], text: string): void {
  const inmost = open.at(-1)
  if (inmost !== undefined) inmost.text += text
}

/** Of an odd run the innermost pairs count: `{{{name}}}` is a value in braces. */
function openAll(open: Open[], count: number, index: number): void {
  const odd = count % 2
  append(open, '{'.repeat(odd))
  for (let at = odd; at < count; at += 2) open.push({ from: index + at, text: '', height: 0 })
}

interface Closing {
  readonly found: VariableUse[]
  readonly count: number
  readonly index: number
}

function closeAll(open: Open[], { found, count, index }: Closing): void {
  let at = 0
  while (at + 2 <= count && open.length > 0) {
    at += 2
    closeOne(open, found, index + at)
  }
  append(open, '}'.repeat(count - at))
}

function closeOne(open: Open[], found: VariableUse[], to: number): void {
  const inmost = open.pop()
  if (inmost === undefined) return
  const parent = open.at(-1)
  if (parent !== undefined) parent.height = Math.max(parent.height, inmost.height + 1)
  // A name never spans lines and never nests deeper: such braces belong to the text around.
  if (inmost.height > 1 || inmost.text.includes('\n')) {
    append(open, `{{${inmost.text}}}`)
    return
  }
  append(open, INNER)
  const bar = inmost.text.indexOf('|')
  const name = (bar === -1 ? inmost.text : inmost.text.slice(0, bar)).trim()
  if (name === '') return
  found.push({ name: name.includes(INNER) ? null : name, from: inmost.from, to, hasDefault: bar !== -1 })
}
