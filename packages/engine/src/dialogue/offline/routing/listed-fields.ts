import type { JsonObject } from '../../../ports.ts'
import { cutBefore, splitTrimmed } from '../cut-text.ts'
import { whetherQuestion } from '../follow-instructions.ts'
import { asksIndirectly, type IndirectQuestion, indirectQuestions } from '../indirect-question.ts'
import { type Field, readFields } from '../schema-fields.ts'

/** "When and where it happened" is one question, too. */
const bareQuestionWord = /^(?:when|where|how|why|who|what)$/i

/** Parts between commas and "and"; what stands in brackets stays with its part. */
function partsOf(phrase: string): { readonly text: string; readonly bracketed: string }[] {
  const brackets: string[] = []
  const plain = phrase
    .replace(/\(([^()]{0,300})\)/g, (_found, inner: string) => ` \uE000${brackets.push(inner) - 1}\uE000 `)
    .replace(/\bboth\b|\ball(?: of)?\b/gi, ' ')
  const parts = splitTrimmed(plain, /,(?:\s*and\s)?|\band\b|\bas well as\b|\bplus\b|&|;/i)
  const joined: string[] = []
  for (const part of parts) {
    const last = joined.at(-1) ?? ''
    // "Which day and time you want" is one question.
    if (bareQuestionWord.test(last) || (/^(?:which|what) [\w-]+$/i.test(last) && !asksIndirectly(part)))
      joined.splice(-1, 1, `${last} and ${part}`)
    else joined.push(part)
  }
  return joined.slice(0, 12).map((part) => ({
    text: part
      .replace(/\uE000\d+\uE000/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
    bracketed: brackets[Number(/\uE000(\d+)\uE000/.exec(part)?.[1] ?? -1)] ?? '',
  }))
}

/** The choices that stand behind a value ("the repair (basic service, full service)"); none when the brackets explain something. */
function choicesOf(label: string, bracketed: string): string[] {
  if (
    bracketed === '' ||
    /^(?:e\.?g|i\.?e|for example|such as|with|without|if|not|optional|at least|in)\b/i.test(bracketed)
  )
    return []
  const choices = splitTrimmed(bracketed, /,(?:\s*(?:or|and)\s)?|\/|;|\bor\b/i).filter((one) => one !== '')
  const kinds = [label, ...choices].map((one) => fieldOf(one, { type: 'string', description: one })?.kind)
  return choices.length > 1 &&
    choices.every((one) => one.split(/\s+/).length <= 4) &&
    kinds.every((kind) => kind === 'text')
    ? choices.slice(0, 20)
    : []
}

function fieldOf(label: string, schema: JsonObject): Field | undefined {
  return label === '__proto__'
    ? undefined
    : readFields({ type: 'object', properties: { [label]: schema }, required: [label] })[0]
}

function labelOf(part: string): string {
  const named = cutBefore(
    part,
    /\b(?:when|so that|in order|if|for (?:the|their|a)|to [a-z]+|of the (?:user|customer|caller|patient|guest|client|order|booking))\b/i,
  )
  return cutBefore(
    named.replace(
      /^(?:(?:the|a|an|their|his|her|its|your|our|user's|customer's|caller's|patient's|guest's|client's|full and|valid|correct|requested|required|needed|desired|preferred|best|good|convenient)\s+)+/i,
      '',
    ),
    /\s(?:of|from) (?:you|your)\b/i,
  )
    .trim()
    .toLowerCase()
}

function listedField(part: string | IndirectQuestion, bracketed: string): Field | undefined {
  const whether = typeof part === 'string' && /^(?:whether|if)\b/i.test(part) ? whetherQuestion(`ask ${part}`) : null
  if (whether !== null) {
    const field = fieldOf(String(part).toLowerCase(), { type: 'boolean', description: String(part) })
    return field === undefined ? undefined : { ...field, question: whether }
  }
  const question = typeof part === 'string' ? '' : part.question
  const label = typeof part === 'string' ? labelOf(part) : part.label
  if (label === '' || (question === '' && label.split(/\s+/).length > 6)) return undefined
  const number =
    /^(?:number of|amount of|quantity|how many|party size)\b|\b(?:quantity|party size|age|headcount)$/.test(label)
  const choices = choicesOf(label, bracketed)
  const field = fieldOf(label, {
    type: number ? 'number' : 'string',
    description: label,
    ...(choices.length > 0 && { enum: choices }),
  })
  return field === undefined ? undefined : { ...field, question }
}

/** The values that a phrase lists ("their name and date of birth"), as fields by which they are recognised. */
export function listedFields(phrase: string): Field[] {
  const parts = partsOf(phrase)
  const fields = new Map<string, Field>()
  for (const [position, part] of indirectQuestions(parts.map(({ text }) => text)).entries()) {
    const field = listedField(part, parts[position]?.bracketed ?? '')
    if (field !== undefined) fields.set(field.path.join('.'), field)
  }
  return [...fields.values()]
}
