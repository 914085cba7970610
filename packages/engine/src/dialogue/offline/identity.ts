import { trimEndMarks } from './cut-text.ts'
import { asSentence } from './split-sentences.ts'

/** Who the agent is, as far as the prompt says. */
export interface Identity {
  /** A complete sentence in the first person, or `null`. */
  readonly introduction: string | null
  readonly business: string | null
  /** What the prompt wants said first, in quotation marks there. */
  readonly greeting: string | null
}

const properName = "\\p{Lu}[\\p{L}\\p{N}'’&.-]*(?: (?:(?:of|and|the|de|la|&) )?\\p{Lu}[\\p{L}\\p{N}'’&-]*){0,4}"
const business = new RegExp(`\\b(?:of|for|at|from|by|with) (?:the )?(${properName})`, 'u')
const ownName = new RegExp(
  `\\b(?:your name is|you are called|agent name:|assistant name:|^name:) (${properName})`,
  'iu',
)
const youAre =
  /^you(?:'re|’re| are) (?!(?:not|to|here|allowed|able|asked|speaking|talking|never|always|also|now|only|expected|required)\b)(.+)$/i

function flipPerson(text: string): string {
  return text
    .replace(/\byour\b/gi, 'my')
    .replace(/\byou are\b/gi, 'I am')
    .replace(/\byou\b/gi, 'I')
}

const praise =
  /\b(?:helpful|friendly|professional|polite|warm|cheerful|concise|empathetic|expert|experienced|highly|skilled|very|patient(?=,? (?:and|assistant|agent|receptionist)))(?:,? and |, | )/gi
/** Words that begin with the sound of a vowel, as nearly as spelling tells. */
const vowelSound = /^(?:(?!one|eu|uni|us[aei])[aeiou]|hour|hono|hones|heir)/i

/** Without the praise, and with the article that the word after it wants. */
function withoutPraise(role: string): string {
  const plain = role.replace(praise, '')
  if (plain === role) return role
  return plain.replace(/^an? (?=(.+))/i, (_, rest: string) => (vowelSound.test(rest) ? 'an ' : 'a '))
}

function trimRole(role: string): string {
  const plain = role.replace(
    /[,;]? (?:who|that|and you|and your|whose|which|and (?:must|should|help|will|always|never)|tasked|designed|here to|responsible|speaking|talking|answering|handling|helping|assisting)\b.*$/is,
    '',
  )
  return flipPerson(trimEndMarks(withoutPraise(plain), '.!')).trim()
}

/** Collects the identity from the sentences of a prompt, given one after the other; the first of each kind counts. */
export function createIdentityReader(): { read: (sentence: string) => boolean; identity: () => Identity } {
  let role: string | null = null
  let name: string | null = null
  let greeting: string | null = null
  let company: string | null = null
  return {
    read: (sentence) => {
      const found = youAre.exec(sentence)
      if (found && role === null && (found[1]?.length ?? 0) < 240) {
        const trimmed = trimRole(found[1] ?? '')
        if (trimmed !== '' && trimmed.split(/\s+/).length <= 24) role = trimmed
        company = business.exec(trimmed)?.[1]?.replace(/\.$/, '') ?? company
        return true
      }
      const named = ownName.exec(sentence)
      if (named && name === null) {
        name = named[1] ?? null
        return true
      }
      company ??= /^you (?:work|answer|speak|handle)\b/i.test(sentence) ? (business.exec(sentence)?.[1] ?? null) : null
      if (greeting === null && /^(?:greet|start|begin|open|introduce)\b|\bgreeting\b/i.test(sentence)) {
        greeting = /["“„]([^"”“„]{3,300})["”“]/.exec(sentence)?.[1] ?? null
      }
      return false
    },
    identity: () => {
      const parts = role === null ? [] : [`I am ${role}`]
      if (name !== null && !(role ?? '').includes(name))
        parts.unshift(role === null ? `I am ${name}` : `My name is ${name}`)
      return {
        introduction: parts.length > 0 ? parts.map(asSentence).join(' ') : null,
        business: company,
        greeting: greeting?.includes('{{') ? null : greeting,
      }
    },
  }
}
