import type { PiiCategory } from '@parley/contract/after-conversation'

/** Names of fields and variables that say by themselves what their values are. The first that fits counts. */
const FIELDS: readonly (readonly [PiiCategory, RegExp])[] = [
  ['email', /\be ?mail\b|\bmail address\b/],
  ['password', /\bpass(?:word|wort|phrase)\b/],
  ['pin', /\b(?:pin|cvv2?|cvc2?|otp|passcode|security code|verification code|access code)\b/],
  ['ssn', /\b(?:ssn|social security)\b/],
  ['passport', /\bpassport\b/],
  ['driver_license', /\b(?:drivers?|driving) licen[cs]e\b/],
  ['medical_id', /\b(?:mrn|medical (?:id|record)|patient (?:id|number)|insurance (?:id|number)|nhs number)\b/],
  ['credit_card', /\b(?:card|credit card|cc|pan) ?(?:number|no)?$/],
  ['bank_account', /\b(?:iban|bank account|routing(?: number)?|sort code|bic|kontonummer)\b/],
  ['customer_account_number', /\b(?:account|customer|client|member(?:ship)?|policy|loyalty) (?:number|no|id)\b/],
  ['date_of_birth', /\b(?:dob|birth(?: ?(?:date|day))?|date of birth|born)\b/],
  [
    'phone_number',
    /\b(?:phone|telephone|mobile|cell|fax|whatsapp|tel)\b|\b(?:from|to|user|caller|customer|contact|callback) number\b/,
  ],
  ['address', /\b(?:address|street|house number|postal ?code|post ?code|zip(?: ?code)?)\b/],
  [
    'person_name',
    /\b(?:(?:first|last|full|given|family|middle|sur|maiden|customer|client|caller|user|contact|guest|patient|owner|holder|person|recipient|sender|passenger|traveller|attendee) ?name|surname|name of (?:the )?(?:customer|caller|guest|patient))s?\b/,
  ],
]

/** A name as words: `customerName` and `customer_name` become "customer name". */
function wordsOf(name: string): string {
  return name
    .slice(0, 200)
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase()
}

/** Not of people: `file_name`, `ip_address` and their like. */
const OTHER_THINGS =
  /\b(?:ip|mac|web|url|wallet|memory|company|business|shop|store|hotel|host) (?:address|name|mail|phone)\b/

/** What a field of this name holds; `null` when the name does not say so. `name` alone is somebody's only among other such data. */
export function categoryOfField(name: string, isAboutPerson: boolean): PiiCategory | null {
  const words = wordsOf(name)
  if (OTHER_THINGS.test(words)) return null
  if (words === 'name') return isAboutPerson ? 'person_name' : null
  return FIELDS.find(([, pattern]) => pattern.test(words))?.[0] ?? null
}

/** Whether a field of this name holds numbers of things, which are no phone numbers however long they are. */
export function isIdentifier(name: string): boolean {
  return /\b(?:id|ids|uuid|reference|ref|order|booking|invoice|ticket|tracking|time|timestamp|at|date|sku|code|hash|key|price|amount|total|count|version)\b/.test(
    wordsOf(name),
  )
}
