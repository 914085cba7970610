import { type PatternNode, parsePattern } from './parse-pattern.ts'

/** A text that can be slow for an expression: a prefix, a unit repeated up to the size, and a suffix that does not match. */
export type AttackText = { prefix: string; unit: string; suffix: string }

export const FILLERS = [
  ...' ,\n.0\'"([{aA#*_-`|~<>:;/\\@&=+!?%$é',
  '\t',
  '\r\n',
  '١',
  '一',
  '\u00a0',
  'word ',
  'a1 ',
  'a,',
  '1.',
  '1 ',
  'ab. ',
  '- ',
  '" ',
  'A b ',
  '.\n',
]

/** Candidate characters for a class, most common first. */
const CANDIDATES = [
  ...' 0aA,.\'-"\n\t5eéßZzxyX_@#*:;/\\()[]{}<>|~`!?&%$+=^°€№’“”–—¿。，！？١一あ한ก\u0301\u00ad\u200b\u00a0',
  '\u{1f600}',
]

const MIN_REPETITIONS = 16

/** Returns attack texts for an expression: plain fillers, and for each repetition its prefix and the repeated text. */
export function createAttackTexts(pattern: string, flags: string): AttackText[] {
  const texts: AttackText[] = FILLERS.map((unit) => ({ prefix: '', unit, suffix: '' }))
  const createSamples = createSampler(flags)
  const tree = parsePattern(pattern, flags)
  collectAttacks(tree, [''], createSamples, texts)
  const fullSample = createSamples(tree)[0] ?? ''
  if (fullSample)
    texts.push({ prefix: '', unit: fullSample, suffix: '' }, { prefix: '', unit: `${fullSample} `, suffix: '' })
  const seenKeys = new Set<string>()
  return texts.filter((text) => {
    const key = JSON.stringify(text)
    return text.unit !== '' && !seenKeys.has(key) && seenKeys.add(key)
  })
}

type Sample = (node: PatternNode) => string[]

/** Adds the attacks on the repetitions inside a node, and returns the texts that lead past the node. */
function collectAttacks(node: PatternNode, starts: string[], sample: Sample, attacks: AttackText[]): string[] {
  if (node.kind === 'choice')
    return takeFirstTwo(node.options.flatMap((option) => collectAttacks(option, starts, sample, attacks)))
  if (node.kind === 'sequence') {
    return node.parts.reduce((reached, part) => collectAttacks(part, reached, sample, attacks), starts)
  }
  if (node.kind === 'repeat' && node.max >= MIN_REPETITIONS) {
    for (const unit of sample(node.inner)) {
      for (const prefix of starts) {
        attacks.push({ prefix, unit, suffix: '' }, { prefix, unit, suffix: '\u0001!x' })
        if (prefix) attacks.push({ prefix: '', unit: prefix + unit.repeat(3), suffix: '' })
        if (prefix) attacks.push({ prefix: '', unit: prefix, suffix: '' })
      }
    }
  }
  if (node.kind === 'repeat') collectAttacks(node.inner, starts, sample, attacks)
  const samples = sample(node)
  return takeFirstTwo(starts.flatMap((start) => (samples.length > 0 ? samples : ['']).map((text) => start + text)))
}

const takeFirstTwo = (texts: string[]): string[] => [...new Set(texts)].slice(0, 2)

/** Returns the samples, followed by all of them concatenated. */
const mixSamples = (samples: string[]): string[] => (samples.length > 1 ? [...samples, samples.join('')] : samples)

/** Creates a function that returns sample texts for parts of a pattern: a few for a class, and one for each option. */
function createSampler(flags: string): Sample {
  const samplesByClass = new Map<string, string[]>()
  const modes = flags.replace(/[gyd]/g, '')
  const sampleClass = (source: string): string[] => {
    const cachedSamples = samplesByClass.get(source)
    if (cachedSamples) return cachedSamples
    const expression = new RegExp(`^(?:${source})$`, modes)
    const matching = CANDIDATES.filter((candidate) => expression.test(candidate))
    const samples = matching.length > 0 ? mixSamples(matching.slice(0, 4)) : source.length === 1 ? [source] : []
    samplesByClass.set(source, samples)
    return samples
  }
  const sample: Sample = (node) => {
    if (node.kind === 'character') return sampleClass(node.source)
    if (node.kind === 'empty') return []
    if (node.kind === 'choice') return node.options.flatMap((option) => sample(option).slice(0, 1)).slice(0, 6)
    if (node.kind === 'repeat') return sample(node.inner).map((text) => text.repeat(Math.max(1, node.min)))
    const rows = node.parts.map((part) => sample(part))
    const width = Math.min(3, Math.max(0, ...rows.map(({ length }) => length)))
    return Array.from({ length: width }, (_, index) => rows.map((row) => row[index] ?? row[0] ?? '').join(''))
  }
  return sample
}

/** Returns the text of an attack with the given length. */
export function writeAttack({ prefix, unit, suffix }: AttackText, length: number): string {
  const unitLength = Math.max(0, length - prefix.length - suffix.length)
  return prefix + unit.repeat(Math.ceil(unitLength / unit.length)).slice(0, unitLength) + suffix
}
