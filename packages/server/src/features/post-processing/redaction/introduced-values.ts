import type { PiiCategory } from '@parley/contract/after-conversation'
import { INTRODUCED_VALUES } from './introducing-words.ts'
import type { PersonalRange } from './word-patterns.ts'

/** Field names that reveal the category of their values. The first match applies. */
const FIELD_PATTERNS: readonly (readonly [PiiCategory, RegExp])[] = [
  ['email', /\be ?mail\b|\bmail address\b|\b(?:correo|courriel)\b/],
  ['password', /\bpass(?:word|wort|phrase)\b|\b(?:kennwort|wachtwoord|mot de passe|contrasena|contraseña)\b/],
  ['pin', /\b(?:pin|cvv2?|cvc2?|otp|passcode|security code|verification code|access code)\b/],
  [
    'ssn',
    /\b(?:ssn|itin|nino|bsn|nif|dni|nir|pesel|personnummer|codice fiscale|social (?:security|insurance)|national (?:insurance|id)|tax ?(?:payer)? id|steuer ?id|steuernummer|sozialversicherungsnummer)\b/,
  ],
  [
    'passport',
    /\b(?:passport|reisepass|ausweisnummer|passnummer|passeport|pasaporte|passaporto|paspoort(?:nummer)?|id ?card(?: number)?)\b/,
  ],
  ['driver_license', /\b(?:drivers?|driving) licen[cs]e\b|\b(?:führerschein|fuehrerschein|rijbewijs)/],
  [
    'medical_id',
    /\b(?:mrn|medical (?:id|record)|patient (?:id|number)|insurance (?:id|number)|nhs(?: number)?|medicare(?: id| number)?|versichertennummer|krankenversicherungsnummer|patientennummer)\b/,
  ],
  ['credit_card', /\b(?:card|credit card|cc|pan) ?(?:number|no)?$|\bkreditkarte/],
  ['bank_account', /\b(?:iban|bank account|routing(?: number)?|sort code|bic|kontonummer|rekeningnummer)\b/],
  [
    'customer_account_number',
    /\b(?:account|customer|client|member(?:ship)?|policy|loyalty) (?:number|no|id)\b|\b(?:kunden|mitglieds|vertrags|klant|lid|polis)(?:nummer|nr)\b/,
  ],
  [
    'date_of_birth',
    /\b(?:dob|birth(?: ?(?:date|day))?|date of birth|born|geburts(?:datum|tag)|date (?:de )?naissance|fecha (?:de )?nacimiento|data (?:di )?nascita|geboortedatum)\b/,
  ],
  [
    'phone_number',
    /\b(?:phone|telephone|mobile|cell|fax|whatsapp|tel|telefon(?:nummer)?|handy(?:nummer)?|rufnummer|téléphone|teléfono|telefono|cellulare|móvil|telefoon(?:nummer)?)\b|\b(?:from|to|user|caller|customer|contact|callback) number\b/,
  ],
  [
    'address',
    /\b(?:address|street|house number|postal ?code|post ?code|zip(?: ?code)?|adresse|anschrift|straße|strasse|hausnummer|plz|postleitzahl|dirección|direccion|indirizzo|adres|straat)\b/,
  ],
  [
    'person_name',
    /\b(?:(?:first|last|full|given|family|middle|sur|maiden|customer|client|caller|user|contact|guest|patient|owner|holder|person|recipient|sender|passenger|traveller|attendee) ?name|surname|vorname|nachname|prénom|prenom|apellidos?|cognome|voornaam|achternaam|name of (?:the )?(?:customer|caller|guest|patient))s?\b/,
  ],
]

/** Splits a name into words: `customerName` and `customer_name` become "customer name". */
function splitIntoWords(name: string): string {
  return name
    .slice(0, 200)
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase()
}

/** Names that do not refer to people, such as `file_name` and `ip_address`. */
const NON_PERSONAL_FIELDS =
  /\b(?:ip|mac|web|url|wallet|memory|company|business|shop|store|hotel|host) (?:address|name|mail|phone)\b/

/** Returns the category of a field name, or null if it has none. `name` alone counts only next to other personal fields. */
export function getFieldCategory(name: string, isPersonal: boolean): PiiCategory | null {
  const words = splitIntoWords(name)
  if (NON_PERSONAL_FIELDS.test(words)) return null
  if (words === 'name') return isPersonal ? 'person_name' : null
  return FIELD_PATTERNS.find(([, pattern]) => pattern.test(words))?.[0] ?? null
}

/** Whether a field contains an identifier, time or amount, which is never a phone number. */
export function isIdentifierField(name: string): boolean {
  return /\b(?:id|ids|uuid|reference|ref|order|booking|invoice|ticket|tracking|time|timestamp|at|date|sku|code|hash|key|price|amount|total|count|version)\b/.test(
    splitIntoWords(name),
  )
}

/** Identifies a value by the preceding words or the question. */
interface IntroductionRule {
  readonly category: PiiCategory
  readonly statementPattern: RegExp
  readonly questionPattern: RegExp
  /** The format of a value without context, or null if it has none. */
  readonly answerPattern: RegExp | null
}

const CATEGORIES_WITHOUT_FORMAT: ReadonlySet<PiiCategory> = new Set(['address', 'password'])

const RULES: readonly IntroductionRule[] = INTRODUCED_VALUES.map(({ category, phrases, gapPattern, valuePattern }) => {
  const introduction = `(?<![\\p{L}\\d[])(?:${phrases.join('|')})(?![\\p{L}])`
  return {
    category,
    statementPattern: new RegExp(`${introduction}${gapPattern}(${valuePattern})`, 'giu'),
    questionPattern: new RegExp(introduction, 'iu'),
    answerPattern: CATEGORIES_WITHOUT_FORMAT.has(category)
      ? null
      : new RegExp(`(?<![\\p{L}\\d])(${valuePattern})`, 'giu'),
  }
})

/** Words that follow "password" in sentences that reveal no password. */
const NOT_A_PASSWORD =
  /^(?:not|wrong|incorrect|invalid|lost|gone|expired|the|a|an|my|your|too|still|never|no|reset|change|be|been|it|that|required|needed|correct|right|working|ok(?:ay)?|falsch|weg|nicht|ungültig|abgelaufen|richtig|korrekt|zu|mein|das|perdue?|incorrecte?|invalide|expiré|faux|pas|trop|le|la|incorrecta|inválida|muy|no|caducada|sbagliata|scaduta|errata|non|verlopen|niet|fout|kwijt|onjuist)[.!?]?$/i
const PASSWORD_QUESTION =
  /(?<!\p{L})(?:passwor[dt]|kennwort|pass ?phrase|mot de passe|contraseña|parola d[’']ordine|wachtwoord)(?!\p{L})/iu
const ADDRESS_QUESTION =
  /(?<!\p{L})(?:address|adresse|anschrift|where do you live|wo wohnen sie|où habitez|dirección|dónde vive|domicilio|indirizzo|dove abita|adres|waar woont)(?!\p{L})/iu
const EMAIL_ADDRESS_QUESTION =
  /(?:e-?mail|mail|web|ip)[- ]?(?:address|adresse|adres)|adresse (?:e-?)?mail|(?:correo|e-?mail) electrónic[oa]/giu

/** Finds values by the words that introduce them. */
export function findIntroducedValues(text: string, categories: ReadonlySet<PiiCategory>): PersonalRange[] {
  return RULES.filter(({ category }) => categories.has(category)).flatMap((rule) =>
    findValues(text, rule.statementPattern, rule.category),
  )
}

/** Finds values by the question they answer. `question` is the other speaker's last question. */
export function findAnsweredValues(
  text: string,
  question: string,
  categories: ReadonlySet<PiiCategory>,
): PersonalRange[] {
  if (question === '' || text.trimEnd().endsWith('?')) return []
  return RULES.filter(({ category, questionPattern }) => categories.has(category) && questionPattern.test(question))
    .flatMap(({ category, answerPattern }) => (answerPattern === null ? [] : findValues(text, answerPattern, category)))
    .concat(findWholeAnswers(text, question, categories))
}

/** Finds answers that are a password or an address. Neither has a fixed format, so any plausible answer matches. */
function findWholeAnswers(text: string, question: string, categories: ReadonlySet<PiiCategory>): PersonalRange[] {
  const trimmedText = text.trim()
  const start = text.indexOf(trimmedText)
  const toRange = (category: PiiCategory): PersonalRange[] => [{ start, end: start + trimmedText.length, category }]
  if (trimmedText === '' || isPlaceholder(trimmedText)) return []
  const isPassword = PASSWORD_QUESTION.test(question)
  if (isPassword && categories.has('password') && !/\s/.test(trimmedText) && !NOT_A_PASSWORD.test(trimmedText))
    return toRange('password')
  const isAddress = ADDRESS_QUESTION.test(question.replace(EMAIL_ADDRESS_QUESTION, ''))
  if (isAddress && categories.has('address') && /\d/.test(trimmedText) && trimmedText.length <= 200)
    return toRange('address')
  return []
}

function findValues(text: string, pattern: RegExp, category: PiiCategory): PersonalRange[] {
  const ranges: PersonalRange[] = []
  for (const match of text.matchAll(pattern)) {
    const value = (match[1] ?? '').replace(/(?<![\s.!?)\]-])[\s.!?)\]-]+$/, '')
    const start = match.index + match[0].length - (match[1] ?? '').length
    if (value === '' || isPlaceholder(value)) continue
    if (category === 'password' && NOT_A_PASSWORD.test(value)) continue
    if (category === 'phone_number' && value.replace(/\D/g, '').length < 6) continue
    ranges.push({ start, end: start + value.length, category })
  }
  return ranges
}

/** Whether the text is a placeholder from an earlier redaction. */
export function isPlaceholder(text: string): boolean {
  return /^\[[a-z_]{3,30}\]?$/.test(text)
}
