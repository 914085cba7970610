import type { PiiCategory } from '@parley/contract/after-conversation'
import type { PersonalRange } from './personal-ranges.ts'

/** Values that nothing but the words before them, or the question that they answer, gives away. */

const MONTH =
  '(?:jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|märz|apr(?:il)?|may|mai|june?|juni|july?|juli|aug(?:ust)?|sep(?:t|tember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?)'
const DATE = [
  `${MONTH}\\.?\\s\\d{1,2}(?:st|nd|rd|th)?,?\\s\\d{2,4}`,
  `\\d{1,2}(?:st|nd|rd|th|\\.)?\\s(?:of\\s)?${MONTH}\\.?,?\\s\\d{2,4}`,
  '\\d{1,4}[-/.]\\d{1,2}[-/.]\\d{1,4}',
].join('|')

/** Letters and digits with at least one digit. */
const codeOf = (fewest: number, most: number): string =>
  `(?=[\\p{L}-]*\\d)[\\p{L}\\d][\\p{L}\\d-]{${fewest - 1},${most - 1}}`

interface Introduced {
  readonly category: PiiCategory
  /** Words that name it, in what was said or in the question that was asked. */
  readonly words: string
  /** What may stand between the words and the value. */
  readonly gap?: string
  readonly value: string
}

const NEAR = '[^\\n\\d[]{0,25}?'

const INTRODUCED: readonly Introduced[] = [
  {
    category: 'password',
    words: '(?:passwords?|passwort|pass ?phrase|mot de passe|contraseña)',
    gap: '(?:\\s+(?:is|was|to|ist|est|es|will be)(?![\\p{L}])\\s*[:=]?|\\s*[:=])\\s*["\'“]?',
    value: '[^\\s"”,;]{1,100}',
  },
  {
    category: 'pin',
    words:
      '(?:pin|pass ?codes?|cvv2?|cvc2?|(?:security|verification|access|one[- ]time) (?:code|number|password)|otp)(?: (?:code|number))?',
    gap: NEAR,
    value: '(?:\\d{3,8}|\\d(?:[ -]\\d){3,7})(?!\\d)',
  },
  {
    category: 'ssn',
    words: '(?:ssn|social security)',
    gap: NEAR,
    value: '(?:\\d{3}[ -]?\\d{2}[ -]?\\d{4}|\\d{4})(?!\\d)',
  },
  { category: 'passport', words: 'passport', gap: '[^\\n[]{0,25}?(?<![\\p{L}\\d])', value: codeOf(6, 9) },
  {
    category: 'driver_license',
    words: "(?:driver[’']?s?|driving) licen[cs]e",
    gap: '[^\\n[]{0,25}?(?<![\\p{L}\\d])',
    value: codeOf(5, 20),
  },
  {
    category: 'medical_id',
    words:
      '(?:mrn|medical (?:record|id)|health (?:insurance|card|id)|nhs|medicare|patient (?:id|number)|insurance (?:number|id))',
    gap: '[^\\n[]{0,25}?(?<![\\p{L}\\d])',
    value: codeOf(4, 20),
  },
  {
    category: 'bank_account',
    words: '(?:bank account|iban|routing(?: number)?|sort code|kontonummer)',
    gap: NEAR,
    value: '\\d[\\d -]{3,24}\\d',
  },
  {
    category: 'customer_account_number',
    words:
      '(?:account|customer|client|member(?:ship)?|policy|loyalty|kunden|mitglieds|vertrags)[ -]?(?:number|no\\.?|nr\\.?|nummer|id)',
    gap: '(?:\\s+(?:is|was|ist))?\\s*[:=#]?\\s*#?',
    value: codeOf(4, 30),
  },
  {
    category: 'phone_number',
    words:
      '(?:(?:tele|mobile |cell ?)?phone|mobile|cell|handy(?:nummer)?|tel|whatsapp|fax|(?:call|reach|text|ring) me (?:at|on))(?: number)?',
    gap: '[^\\n\\d+([]{0,20}?',
    value: '[+(]?\\d(?:[\\d ()./-]{4,18})\\d',
  },
  {
    category: 'credit_card',
    words: '(?:(?:credit|debit|bank)? ?card(?: number)?|visa|mastercard|amex)',
    gap: NEAR,
    value: '\\d(?:[ -]?\\d){11,18}',
  },
  {
    category: 'date_of_birth',
    words: '(?:born|birth(?:day|date)?|dob|geboren|geburts(?:tag|datum)|née?|nacido|nacida)',
    gap: '[^\\n[]{0,25}?(?<![\\p{L}\\d])',
    value: `(?:${DATE})(?!\\d)`,
  },
  {
    category: 'address',
    words:
      "(?:(?:my|our) (?:\\p{L}{1,12} )?address is|i live (?:at|in|on)|i(?:’|')?m at|deliver(?:ed)? (?:it |them )?to|ship(?:ped)? (?:it |them )?to|ich wohne in(?: der)?|meine adresse ist)",
    gap: '\\s+',
    value: '(?=[^\\n!?]{0,80}\\d)(?:[^\\n.!?]|\\.(?=\\s?[\\p{Ll}\\d,])|(?<=(?:st|ave|rd|dr|str|apt|no))\\.){3,120}',
  },
]

interface Rule {
  readonly category: PiiCategory
  readonly said: RegExp
  readonly asked: RegExp
  readonly answer: RegExp
}

const RULES: readonly Rule[] = INTRODUCED.map(({ category, words, gap = '\\s+', value }) => ({
  category,
  said: new RegExp(`(?<![\\p{L}\\d[])${words}(?![\\p{L}])${gap}(${value})`, 'giu'),
  asked: new RegExp(`(?<![\\p{L}\\d[])${words}(?![\\p{L}])`, 'iu'),
  answer: new RegExp(`(?<![\\p{L}\\d])(${value})`, 'giu'),
}))

/** Words that a sentence about a password goes on with when it does not tell it. */
const NO_PASSWORD =
  /^(?:not|wrong|incorrect|invalid|lost|gone|expired|the|a|an|my|your|too|still|never|no|reset|change|be|been|it|that|required|needed|correct|right|working|ok(?:ay)?)[.!?]?$/i

/** What the words before it give away. */
export function findIntroduced(text: string, categories: ReadonlySet<PiiCategory>): PersonalRange[] {
  return RULES.filter(({ category }) => categories.has(category)).flatMap((rule) =>
    valuesOf(text, rule.said, rule.category),
  )
}

/** What the question before it gives away: `asked` is the last question of the other side. */
export function findAnswered(text: string, asked: string, categories: ReadonlySet<PiiCategory>): PersonalRange[] {
  if (asked === '' || text.trimEnd().endsWith('?')) return []
  return RULES.filter(({ category, asked: question }) => categories.has(category) && question.test(asked))
    .flatMap((rule) => {
      if (rule.category === 'address' || rule.category === 'password') return []
      return valuesOf(text, rule.answer, rule.category)
    })
    .concat(wholeAnswers(text, asked, categories))
}

/** Passwords and addresses have no form: an answer of the right length is one. */
function wholeAnswers(text: string, asked: string, categories: ReadonlySet<PiiCategory>): PersonalRange[] {
  const whole = text.trim()
  const start = text.indexOf(whole)
  const range = (category: PiiCategory): PersonalRange[] => [{ start, end: start + whole.length, category }]
  if (whole === '' || isPlaceholder(whole)) return []
  const isPassword = /(?<!\p{L})(?:password|passwort|pass ?phrase)(?!\p{L})/iu.test(asked)
  if (isPassword && categories.has('password') && !/\s/.test(whole) && !NO_PASSWORD.test(whole))
    return range('password')
  const isAddress = /(?<!\p{L})(?:address|adresse|where do you live)(?!\p{L})/iu.test(
    asked.replace(/e-?mail address/gi, ''),
  )
  if (isAddress && categories.has('address') && /\d/.test(whole) && whole.length <= 200) return range('address')
  return []
}

function valuesOf(text: string, pattern: RegExp, category: PiiCategory): PersonalRange[] {
  const found: PersonalRange[] = []
  for (const match of text.matchAll(pattern)) {
    const value = (match[1] ?? '').replace(/[\s.!?)\]-]+$/, '')
    const start = match.index + match[0].length - (match[1] ?? '').length
    if (value === '' || isPlaceholder(match[1] ?? '')) continue
    if (category === 'password' && NO_PASSWORD.test(value)) continue
    if (category === 'phone_number' && value.replace(/\D/g, '').length < 6) continue
    found.push({ start, end: start + value.length, category })
  }
  return found
}

/** What this redaction itself has put there. */
export function isPlaceholder(text: string): boolean {
  return /^\[[a-z_]{3,30}\]?$/.test(text)
}
