import type { PiiCategory } from '@parley/contract/after-conversation'

/** Names of fields and variables that say by themselves what their values are. The first that fits counts. */
const FIELDS: readonly (readonly [PiiCategory, RegExp])[] = [
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
export function categoryOfField(name: string, isPersonal: boolean): PiiCategory | null {
  const words = wordsOf(name)
  if (OTHER_THINGS.test(words)) return null
  if (words === 'name') return isPersonal ? 'person_name' : null
  return FIELDS.find(([, pattern]) => pattern.test(words))?.[0] ?? null
}

/** Whether a field of this name holds numbers of things, which are no phone numbers however long they are. */
export function isIdentifier(name: string): boolean {
  return /\b(?:id|ids|uuid|reference|ref|order|booking|invoice|ticket|tracking|time|timestamp|at|date|sku|code|hash|key|price|amount|total|count|version)\b/.test(
    wordsOf(name),
  )
}
