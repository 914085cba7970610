import type { PiiCategory } from '@parley/contract/after-conversation'
import { INTRODUCED_VALUES } from './introducing-words.ts'
import type { PersonalRange } from './personal-ranges.ts'

/** Values that nothing but the words before them, or the question that they answer, gives away. */

interface Rule {
  readonly category: PiiCategory
  readonly statement: RegExp
  readonly asked: RegExp
  /** The form of the value alone; `null` for what has none. */
  readonly answer: RegExp | null
}

const WITHOUT_PATTERN: ReadonlySet<PiiCategory> = new Set(['address', 'password'])

const RULES: readonly Rule[] = INTRODUCED_VALUES.map(({ category, words, gap, value }) => {
  const introduction = `(?<![\\p{L}\\d[])(?:${words.join('|')})(?![\\p{L}])`
  return {
    category,
    statement: new RegExp(`${introduction}${gap}(${value})`, 'giu'),
    asked: new RegExp(introduction, 'iu'),
    answer: WITHOUT_PATTERN.has(category) ? null : new RegExp(`(?<![\\p{L}\\d])(${value})`, 'giu'),
  }
})

/** Words that a sentence about a password goes on with when it does not tell it. */
const NOT_A_PASSWORD =
  /^(?:not|wrong|incorrect|invalid|lost|gone|expired|the|a|an|my|your|too|still|never|no|reset|change|be|been|it|that|required|needed|correct|right|working|ok(?:ay)?|falsch|weg|nicht|ungültig|abgelaufen|richtig|korrekt|zu|mein|das|perdue?|incorrecte?|invalide|expiré|faux|pas|trop|le|la|incorrecta|inválida|muy|no|caducada|sbagliata|scaduta|errata|non|verlopen|niet|fout|kwijt|onjuist)[.!?]?$/i
const PASSWORD_QUESTION =
  /(?<!\p{L})(?:passwor[dt]|kennwort|pass ?phrase|mot de passe|contraseña|parola d[’']ordine|wachtwoord)(?!\p{L})/iu
const ADDRESS_QUESTION =
  /(?<!\p{L})(?:address|adresse|anschrift|where do you live|wo wohnen sie|où habitez|dirección|dónde vive|domicilio|indirizzo|dove abita|adres|waar woont)(?!\p{L})/iu
const EMAIL_ADDRESS_QUESTION =
  /(?:e-?mail|mail|web|ip)[- ]?(?:address|adresse|adres)|adresse (?:e-?)?mail|(?:correo|e-?mail) electrónic[oa]/giu

/** What the words before it give away. */
export function findIntroduced(text: string, categories: ReadonlySet<PiiCategory>): PersonalRange[] {
  return RULES.filter(({ category }) => categories.has(category)).flatMap((rule) =>
    valuesOf(text, rule.statement, rule.category),
  )
}

/** What the question before it gives away: `asked` is the last question of the other side. */
export function findAnswered(text: string, asked: string, categories: ReadonlySet<PiiCategory>): PersonalRange[] {
  if (asked === '' || text.trimEnd().endsWith('?')) return []
  return RULES.filter(({ category, asked: question }) => categories.has(category) && question.test(asked))
    .flatMap(({ category, answer }) => (answer === null ? [] : valuesOf(text, answer, category)))
    .concat(wholeAnswers(text, asked, categories))
}

/** Passwords and addresses have no form: an answer of the right length is one. */
function wholeAnswers(text: string, asked: string, categories: ReadonlySet<PiiCategory>): PersonalRange[] {
  const trimmed = text.trim()
  const start = text.indexOf(trimmed)
  const range = (category: PiiCategory): PersonalRange[] => [{ start, end: start + trimmed.length, category }]
  if (trimmed === '' || isPlaceholder(trimmed)) return []
  const isPassword = PASSWORD_QUESTION.test(asked)
  if (isPassword && categories.has('password') && !/\s/.test(trimmed) && !NOT_A_PASSWORD.test(trimmed))
    return range('password')
  const isAddress = ADDRESS_QUESTION.test(asked.replace(EMAIL_ADDRESS_QUESTION, ''))
  if (isAddress && categories.has('address') && /\d/.test(trimmed) && trimmed.length <= 200) return range('address')
  return []
}

function valuesOf(text: string, pattern: RegExp, category: PiiCategory): PersonalRange[] {
  const found: PersonalRange[] = []
  for (const match of text.matchAll(pattern)) {
    const value = (match[1] ?? '').replace(/(?<![\s.!?)\]-])[\s.!?)\]-]+$/, '')
    const start = match.index + match[0].length - (match[1] ?? '').length
    if (value === '' || isPlaceholder(value)) continue
    if (category === 'password' && NOT_A_PASSWORD.test(value)) continue
    if (category === 'phone_number' && value.replace(/\D/g, '').length < 6) continue
    found.push({ start, end: start + value.length, category })
  }
  return found
}

/** What this redaction itself has put there. */
export function isPlaceholder(text: string): boolean {
  return /^\[[a-z_]{3,30}\]?$/.test(text)
}
